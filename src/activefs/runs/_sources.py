"""Where the rows come from: the paper's data sets by name, or a table of the user's own."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from activefs import datasets
from activefs.constraints import RULES
from activefs.exceptions import InvalidInputError
from activefs.pool import Pool
from activefs.tables import check_classes, open_labelled
from activefs.types import Ints

PAPER_SETS = ("BASEHOCK", "PCMAC", "RELATHE", "MUSK", "MNIST01", "MNIST35", "MNIST46")

Loaded = tuple[Any, tuple[str, ...] | None, Ints]
"""Features, their names if the table has none, class numbers."""


@dataclass(frozen=True)
class Source:
    """A data set, known by name, size and, for a table of the user's own, by file and content.

    Attributes
    ----------
    name : str
        As in pictures and tables.
    rows, features : int
        Its size.
    path, label, sha256 : str
        File, label column and checksum of a user's table; empty for the paper's data sets.
    make : callable, optional
        Gives the rows of any other data set; a function of a module, so that it reaches other processes.
    coded : bool
        Whether what `make` gives are codes already, to be kept as they are.
    """

    name: str
    rows: int
    features: int
    path: str = ""
    label: str = ""
    sha256: str = ""
    # Not compared: a function that came from another process is not the same one.
    make: Callable[[], Loaded] | None = field(default=None, compare=False)
    coded: bool = False

    @property
    def key(self) -> list[str]:
        """What the numbers depend on: not where a table lies, but what is in it."""
        return [self.name] if not self.path else [self.sha256, self.label, f"columns {RULES}"]

    @property
    def is_coded(self) -> bool:
        """Whether its numbers are codes already: the paper's data sets are quantised when they are loaded."""
        return self.coded or (not self.path and self.make is None)

    @classmethod
    def named(cls, name: str) -> Source:
        """One of the paper's data sets."""
        known = _known()
        if name.upper() not in known:
            raise InvalidInputError(f"there is no data set {name!r}; there are {', '.join(known)}")
        return known[name.upper()]

    @classmethod
    def table(cls, text: str) -> Source:
        """A table of the user's own, written as FILE:LABEL."""
        file, separator, label = text.rpartition(":")
        if not separator or not file or not label:
            raise InvalidInputError(f"a table is named as FILE:LABEL, its file and the column of labels; got {text!r}")
        path = Path(file).resolve()
        opened = open_labelled(path, label)
        check_classes(opened, "put them into a few groups first")
        pool = Pool.from_table(opened.features, names=opened.names)  # warns of columns that are left out
        name = path.name.split(".")[0]
        if name.upper() in _known():
            raise InvalidInputError(f"{path.name} has the name of one of the paper's data sets; rename it")
        return cls(name, pool.n_rows, pool.n_features, str(path), label, hashlib.sha256(path.read_bytes()).hexdigest())


@lru_cache(maxsize=1)
def _known() -> dict[str, Source]:
    return {info.name: Source(info.name, info.rows, info.features) for info in datasets.available()}


def load(source: Source) -> Loaded:
    """Read a data set: features, their names if the table has none, class numbers."""
    if source.make is not None:
        return source.make()
    if not source.path:
        loaded = datasets.load(source.name)
        return loaded.X, loaded.feature_names, loaded.y.astype(np.int64)
    table = open_labelled(Path(source.path), source.label)
    number = {label: i for i, label in enumerate(dict.fromkeys(table.labels))}
    return table.features, table.names, np.array([number[label] for label in table.labels], dtype=np.int64)
