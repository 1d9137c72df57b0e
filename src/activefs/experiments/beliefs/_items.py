"""What is computed and kept: what the estimate said at some label counts of a run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa

from activefs.datasets import QUANTISER_VERSION
from activefs.estimates import BeliefConstants
from activefs.experiments.beliefs._measure import BINS, SaidAndTrue, measure
from activefs.experiments.leaderboard import LeaderboardSettings, LeaderboardShard, parts_of
from activefs.runs import ASSISTANT_VERSION, Source, Store, WorkItem, number_of
from activefs.types import Int32s

# Part of every item's key: raise it whenever the same key would give other numbers.
VERSION = 3
_SINGLE = ("covered", "width", "reported", "true", "expected", "gap")
_BINNED = ("features", "said", "among")


@dataclass(frozen=True)
class BeliefItem:
    """Work item: what is said about one run.

    Attributes
    ----------
    item : WorkItem
        The run.
    ks, counts : tuple of int
        Numbers of features chosen, label counts.
    constants : BeliefConstants
        What the beliefs rest on.
    """

    item: WorkItem
    ks: tuple[int, ...]
    counts: tuple[int, ...]
    constants: BeliefConstants

    @cached_property
    def path(self) -> Path:
        """Where it is kept."""
        run = self.item
        content = [VERSION, QUANTISER_VERSION, ASSISTANT_VERSION, *run.source.key, run.line.key, run.ks, run.run]
        number = number_of([*content, run.budget, run.seed, self.ks, self.counts, list(self.constants)])
        return run.path.parent / f"run-{run.run:03d}-beliefs-{number:016x}.parquet"

    def to_table(self, result: SaidAndTrue) -> pa.Table:
        """One row per k and label count."""
        ks, counts = len(self.ks), len(self.counts)
        columns = {"k": np.repeat(self.ks, counts), "labels": np.tile(self.counts, ks)}
        columns |= {name: getattr(result, name).ravel() for name in _SINGLE}
        columns |= {f"{name}_{b}": getattr(result, name)[:, :, b].ravel() for name in _BINNED for b in range(BINS)}
        return pa.table({**columns, "informative": np.tile(result.informative, ks)})

    def from_table(self, table: pa.Table) -> SaidAndTrue | None:
        """The same back."""
        shape = len(self.ks), len(self.counts)
        if table.num_rows != shape[0] * shape[1]:
            return None
        numbers = {name: table.column(name).to_numpy() for name in table.column_names}
        return SaidAndTrue(
            **{name: numbers[name].reshape(shape) for name in _SINGLE},
            **{
                name: np.stack([numbers[f"{name}_{b}"].reshape(shape) for b in range(BINS)], axis=-1)
                for name in _BINNED
            },
            informative=numbers["informative"].reshape(shape)[0],
        )


@dataclass(frozen=True)
class BeliefShard:
    """One run: its labels are those of the leaderboard, chosen again if they are not there.

    Attributes
    ----------
    wanted : BeliefItem
        What is computed.
    known : array of int, optional
        Rows in the order of their labels.
    """

    wanted: BeliefItem
    known: Int32s | None = None

    @property
    def source(self) -> Source:
        """The data set."""
        return self.wanted.item.source

    @property
    def items(self) -> tuple[BeliefItem]:
        """The item."""
        return (self.wanted,)

    @property
    def weight(self) -> float:
        """About how long it takes, in microseconds."""
        rows, features = self.source.rows, self.source.features
        per_fit = 1.3e5 + 4.0 * min(rows, 20_000) + 30.0 * features
        return per_fit * (2.0 * len(self.wanted.counts) + (0.1 * self.wanted.item.budget if self.known is None else 0))

    def run(self) -> list[SaidAndTrue]:
        """Compute it."""
        wanted = self.wanted
        rows = self.known
        if rows is None:
            labelled = LeaderboardShard((parts_of(LeaderboardSettings(), wanted.item)[0],)).run()[0]
            rows = labelled.rows  # type: ignore[union-attr]
        return [measure(wanted.item, wanted.ks, wanted.counts, rows, wanted.constants)]


def shard_of(wanted: BeliefItem, store: Store) -> BeliefShard:
    """Plan an item, with the labels of the leaderboard's run if they are in the folder."""
    found = store.load(parts_of(LeaderboardSettings(), wanted.item)[0])
    return BeliefShard(wanted, None if found is None else found.rows)
