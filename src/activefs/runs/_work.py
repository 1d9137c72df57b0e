"""From work that is missing to work that is kept."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from activefs.runs import _engines as engines
from activefs.runs._sources import load
from activefs.runs._store import Store

J = TypeVar("J", bound=engines.Job)
Advance = Callable[[float], None]
"""Called with the weight of what was finished."""


@dataclass(frozen=True)
class Work(Generic[J]):
    """What has to be done.

    Attributes
    ----------
    tasks : list of Task
        In the order in which they are started.
    pieces : int
        Pieces that are wanted in all.
    missing : int
        Those among them that are not there yet.
    notes : list of str
        Combinations that are left out, and why.
    """

    tasks: list[J]
    pieces: int
    missing: int
    notes: list[str] = field(default_factory=list)

    @property
    def weight(self) -> float:
        """Of all tasks."""
        return sum(task.weight for task in self.tasks)


Begin = Callable[[Work[Any]], Advance]
"""Told what has to be done before it starts; gives back what is called as it proceeds."""


def run(work: Work[J], store: Store, *, jobs: int, scheduler: str | None = None, advance: Advance) -> None:
    """Do the work; every finished piece is kept at once."""
    if scheduler is None:
        # Loaded once here, a data set is downloaded and quantised once, not by every process at the same time.
        for source in dict.fromkeys(task.source for task in work.tasks):
            load(source)
    done = engines.on_this_machine(work.tasks, jobs) if scheduler is None else engines.on_cluster(work.tasks, scheduler)
    with warnings.catch_warnings():
        # joblib remarks on tasks that were cancelled; after Ctrl-C or on a full disk that is what we want.
        warnings.filterwarnings("ignore", category=UserWarning, module=r"joblib\.parallel")
        try:
            for task, results in done:
                for piece, result in zip(task.pieces, results, strict=True):
                    store.save(piece, result)
                advance(task.weight)
        finally:
            done.close()
