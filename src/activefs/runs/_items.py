"""Work items of the experiments with strategies: what is computed once and kept, and what it finds."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa

from activefs.datasets import QUANTISER_VERSION
from activefs.runs._sources import Source
from activefs.runs.lines import Line
from activefs.types import Int32s, Matrix

# Part of every item's key: raise it whenever the same key would give other numbers.
VERSION = 1
ASSISTANT_VERSION = 5  # the assistant, its estimates, or the choices that ask it


@dataclass(frozen=True)
class WorkItem:
    """One run of one line on one data set, for one k or, if its rows do not depend on k, for several.

    Attributes
    ----------
    source : Source
        The data set.
    line : Line
        The strategy.
    ks : tuple of int
        The k (one of them, if the rows depend on it) for which the gap is measured.
    run, budget, seed : int
        Number of the run, labels, seed of the whole experiment.
    """

    source: Source
    line: Line
    ks: tuple[int, ...]
    run: int
    budget: int
    seed: int

    @property
    def random_state(self) -> int:
        """Seed of this run: lines that differ in the safeguard only have it in common, all others have their own."""
        return number_of([*self.source.key, self.line.family, self._k, self.run, self.seed])

    @property
    def _k(self) -> int:
        return self.ks[0] if self.line.needs_k else 0

    @cached_property
    def path(self) -> Path:
        """Where it is kept, below the folder of all items."""
        content = [
            VERSION,
            QUANTISER_VERSION,
            *self.source.key,
            self.line.key,
            self.ks,
            self.run,
            self.budget,
            self.seed,
            *([ASSISTANT_VERSION] if self.line.estimator == "assisted" else []),
        ]
        ks = f"k{self._k}" if self.line.needs_k else "all-k"
        return Path(self.source.name) / self.line.slug / ks / f"run-{self.run:03d}-{number_of(content):016x}.parquet"

    def to_table(self, result: RunResult) -> pa.Table:
        """One row per label, one column of gaps per k."""
        columns = {"row": pa.array(result.rows)}
        columns |= {f"gap_{k}": pa.array(gap) for k, gap in zip(self.ks, result.gaps, strict=True)}
        about = {"line": self.line.key, "dataset": self.source.name, "run": str(self.run), "seed": str(self.seed)}
        return pa.table(columns, metadata=about)

    def from_table(self, table: pa.Table) -> RunResult | None:
        """The same back."""
        gaps = np.stack([table.column(f"gap_{k}").to_numpy() for k in self.ks])
        return RunResult(table.column("row").to_numpy(), gaps) if gaps.shape[1] == self.budget else None


@dataclass(frozen=True, eq=False)
class RunResult:
    """What a run found.

    Attributes
    ----------
    rows : array of shape (labels,)
        Rows in the order of their labels.
    gaps : array of shape (ks, labels)
        Gap after each label.
    seconds, processor : array of shape (labels,), optional
        Seconds that each question took, by the clock and of the processor. They are not kept with a work item, which
        is the same whoever computes it.
    """

    rows: Int32s
    gaps: Matrix
    seconds: Matrix | None = None
    processor: Matrix | None = None


def number_of(content: object) -> int:
    """Make a number of anything that JSON can hold; the same on every machine.

    Examples
    --------
    >>> number_of(["MUSK", 5]) == number_of(("MUSK", 5)) != number_of(["MUSK", 6])
    True
    """
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1
