"""From work that is missing to work that is kept."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from activefs.runs import _engines as engines
from activefs.runs._engines import Shard
from activefs.runs._sources import Source, load
from activefs.runs._store import Storable, Store

R = TypeVar("R")
S = TypeVar("S", bound=Shard)
Advance = Callable[[float], None]
"""Called with the weight of what was finished."""


@dataclass(frozen=True)
class Work(Generic[S]):
    """What has to be done.

    Attributes
    ----------
    shards : list of Shard
        In the order in which they are started.
    items : int
        Work items that are wanted in all.
    missing : int
        Those among them that are not there yet.
    notes : list of str
        Combinations that are left out, and why.
    """

    shards: list[S]
    items: int
    missing: int
    notes: list[str] = field(default_factory=list)

    @property
    def weight(self) -> float:
        """Of all shards, in microseconds."""
        return sum(shard.weight for shard in self.shards)


Begin = Callable[[Work[Any]], Advance]
"""Told what has to be done before it starts; gives back what is called as it proceeds."""


def silent(work: Work[Any]) -> Advance:
    """Say nothing about work: a `Begin` for whoever does not watch."""
    return lambda weight: None


class Computable(Storable[R], Protocol[R]):
    """A work item that is computed alone."""

    @property
    def source(self) -> Source | None:
        """The data set, if it needs one."""

    @property
    def weight(self) -> float:
        """About how long it takes, in microseconds."""

    def compute(self) -> R:
        """Find the result."""


@dataclass(frozen=True)
class SingleShard(Generic[R]):
    """A shard of one work item that knows how to compute itself."""

    item: Computable[R]

    @property
    def source(self) -> Source | None:
        """The data set, if it needs one."""
        return self.item.source

    @property
    def items(self) -> tuple[Computable[R]]:
        """The item."""
        return (self.item,)

    @property
    def weight(self) -> float:
        """About how long it takes, in microseconds."""
        return self.item.weight

    def run(self) -> list[R]:
        """Compute it."""
        return [self.item.compute()]


def plan_items(wanted: Iterable[Computable[R]], store: Store) -> Work[SingleShard[R]]:
    """Find out which work items are missing, each of which is computed alone."""
    items = list(wanted)
    missing = [SingleShard(item) for item in items if not store.has(item)]
    return Work(missing, len(items), len(missing))


def run(work: Work[S], store: Store, *, jobs: int, scheduler: str | None = None, advance: Advance) -> None:
    """Do the work; every finished item is kept at once."""
    if scheduler is None:
        # Loaded once here, a data set is downloaded and quantised once, not by every process at the same time.
        for source in dict.fromkeys(shard.source for shard in work.shards):
            if source is not None:
                load(source)
        done = engines.on_this_machine(work.shards, jobs)
    else:
        done = engines.on_cluster(work.shards, scheduler)
    with warnings.catch_warnings():
        # joblib remarks on tasks that were cancelled; after Ctrl-C or on a full disk that is what we want.
        warnings.filterwarnings("ignore", category=UserWarning, module=r"joblib\.parallel")
        try:
            for shard, results in done:
                for item, result in zip(shard.items, results, strict=True):
                    store.save(item, result)
                advance(shard.weight)
        finally:
            done.close()
