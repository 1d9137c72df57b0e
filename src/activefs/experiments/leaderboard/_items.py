"""What is computed and kept: the labels of a run, and the assisted estimates from them.

They are kept apart: when the assistant changes, choices that do not ask it keep their labels.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa

from activefs.datasets import QUANTISER_VERSION
from activefs.runs import ASSISTANT_VERSION, WorkItem, number_of
from activefs.types import Floats, Int32s, Matrix

# Parts of the keys: raise one whenever the same key would give other numbers.
VERSION = 2
BELIEFS_VERSION = 3  # what the assisted estimate says about itself: bounds, expected gap, informative


@dataclass(frozen=True, eq=False)
class LabellingResult:
    """A run.

    Attributes
    ----------
    rows : array of shape (labels,)
        Rows in the order of their labels.
    gaps : array of shape (ks, labels)
        Gap of the plug-in estimate after each label.
    seconds, processor : array of shape (labels,)
        Seconds that each question took, by the clock and of the processor. They are the same on an idle machine.
    blind : array of shape (ks,)
        Gap of features that are chosen blindly.
    spent : float
        Seconds of the processor for everything.
    """

    rows: Int32s
    gaps: Matrix
    seconds: Matrix
    processor: Matrix
    blind: Floats
    spent: float


@dataclass(frozen=True, eq=False)
class EstimationResult:
    """Assisted estimates at some label counts of a run; arrays have the shape (ks, counts) or (counts,).

    Attributes
    ----------
    gaps : array
        Gap of the chosen features.
    expected : array
        Gap that the estimate itself expects.
    covered : array
        Share of the chosen features whose true quality lies within the bounds.
    informative : array
        1 if the labels show that anything in the table has to do with them, else 0.
    seconds : array
        Seconds of the processor for an estimate, without its bounds.
    preparing : float
        Seconds of the processor for preparing the assistant, once per data set and process.
    spent : float
        Seconds of the processor for everything but the preparation.
    """

    gaps: Floats
    expected: Floats
    covered: Floats
    informative: Floats
    seconds: Floats
    preparing: float
    spent: float


@dataclass(frozen=True)
class Labelling:
    """Work item: the labels of a run."""

    item: WorkItem

    @cached_property
    def path(self) -> Path:
        """Where it is kept."""
        return _path(self.item, "labels", [ASSISTANT_VERSION if self.item.line.needs_assistant else 0])

    def to_table(self, result: LabellingResult) -> pa.Table:
        """One row per label."""
        columns = {"row": result.rows, "seconds": result.seconds, "processor": result.processor}
        columns |= {f"gap_{k}": gap for k, gap in zip(self.item.ks, result.gaps, strict=True)}
        return pa.table(columns, metadata={"blind": json.dumps(result.blind.tolist()), "spent": repr(result.spent)})

    def from_table(self, table: pa.Table) -> LabellingResult | None:
        """The same back."""
        gaps = np.stack([table.column(f"gap_{k}").to_numpy() for k in self.item.ks])
        rows, seconds, processor = (table.column(name).to_numpy() for name in ("row", "seconds", "processor"))
        blind = np.array(json.loads(table.schema.metadata[b"blind"]))
        spent = float(table.schema.metadata[b"spent"])
        return LabellingResult(rows, gaps, seconds, processor, blind, spent) if rows.size == self.item.budget else None


@dataclass(frozen=True)
class Estimation:
    """Work item: assisted estimates of a run at some label counts."""

    item: WorkItem
    counts: tuple[int, ...]

    @cached_property
    def path(self) -> Path:
        """Where it is kept."""
        return _path(self.item, "assisted", [ASSISTANT_VERSION, BELIEFS_VERSION, *self.counts])

    def to_table(self, result: EstimationResult) -> pa.Table:
        """One row per label count."""
        columns: dict[str, object] = {"labels": np.array(self.counts, dtype=np.int32)}
        for i, k in enumerate(self.item.ks):
            columns[f"gap_{k}"] = result.gaps[i]
            columns[f"expected_{k}"] = result.expected[i]
            columns[f"covered_{k}"] = result.covered[i]
        columns |= {"informative": result.informative, "seconds": result.seconds}
        return pa.table(columns, metadata={"preparing": repr(result.preparing), "spent": repr(result.spent)})

    def from_table(self, table: pa.Table) -> EstimationResult | None:
        """The same back."""
        if table.column("labels").to_pylist() != list(self.counts):
            return None

        def by_k(name: str) -> Floats:
            return np.stack([table.column(f"{name}_{k}").to_numpy() for k in self.item.ks])

        return EstimationResult(
            gaps=by_k("gap"),
            expected=by_k("expected"),
            covered=by_k("covered"),
            informative=table.column("informative").to_numpy(),
            seconds=table.column("seconds").to_numpy(),
            preparing=float(table.schema.metadata[b"preparing"]),
            spent=float(table.schema.metadata[b"spent"]),
        )


def _path(item: WorkItem, what: str, more: list[int]) -> Path:
    content = [VERSION, QUANTISER_VERSION, *item.source.key, item.line.key, item.ks, item.run, item.budget]
    number = number_of([*content, item.seed, what, *more])
    return item.path.parent / f"run-{item.run:03d}-{what}-{number:016x}.parquet"
