"""How many labels a certificate needs where the matter is clear: one feature that tells nearly all, nine of noise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from activefs.pool import Pool
from activefs.runs import Source, markdown_table, number_of
from activefs.session import Session
from activefs.types import Ints

# Part of every item's key: raise it whenever the same key would give other numbers.
VERSION = 1
ROWS = (100, 300, 1000, 3000)
RUNS = 10
_DRAWING = ("random", "assisted")
"""Strategies that draw rows at random; without draws a certificate needs nearly all labels."""
_ERRORS, _NOISE = 0.05, 9


@dataclass(frozen=True)
class ClearItem:
    """Work item: sessions on clear tables, each until its feature is certified.

    Attributes
    ----------
    strategy : str
        How rows are chosen.
    delta : float
        Confidence parameter.
    rows : int
        Rows of a table.
    runs : int
        How many sessions, each on a table of its own.

    Examples
    --------
    >>> 20 < int(ClearItem("random", 0.2, rows=100, runs=1).compute()[0]) < 100
    True
    """

    strategy: str
    delta: float
    rows: int
    runs: int = RUNS

    @property
    def source(self) -> Source | None:
        """No data set: tables are made up."""
        return None

    @property
    def path(self) -> Path:
        """Where it is kept, below the folder of all items."""
        number = number_of([VERSION, self.strategy, self.delta, self.rows, self.runs])
        return Path(f"clear-{self.strategy}") / f"{self.delta:g}-{self.rows:05d}-{number:016x}.parquet"

    @property
    def weight(self) -> float:
        """About how long it takes, in microseconds."""
        return self.runs * float(np.sqrt(self.rows)) * (6e4 if self.strategy == "assisted" else 2e3)

    def to_table(self, result: Ints) -> pa.Table:
        """One row per session."""
        return pa.table({"labels": result})

    def from_table(self, table: pa.Table) -> Ints | None:
        """The same back."""
        return table.column("labels").to_numpy() if table.num_rows == self.runs else None

    def compute(self) -> Ints:
        """Return the labels with which each session certified its feature."""
        return np.array([self._run(run) for run in range(self.runs)])

    def _run(self, run: int) -> int:
        rng = np.random.default_rng([run, self.rows, 12])
        y = rng.integers(0, 2, size=self.rows)
        clear = np.where(rng.random(self.rows) < _ERRORS, 1 - y, y)
        pool = Pool.from_table(np.column_stack([clear, rng.integers(0, 2, size=(self.rows, _NOISE))]))
        session = Session(pool, 1, strategy=self.strategy, delta=self.delta, random_state=run, classes=[0, 1])
        while not session.finished:
            row = session.ask()
            session.tell(row, int(y[row]))
        return session.n_labels


def clear_items(strategies: Iterable[str], deltas: Iterable[float]) -> list[ClearItem]:
    """Plan the sessions for those strategies that draw rows."""
    wanted = [name for name in _DRAWING if name in set(strategies)]
    return [ClearItem(name, delta, rows) for name in wanted for delta in deltas for rows in ROWS]


def clear_section(found: Mapping[ClearItem, Ints]) -> str:
    """Write the part of the report; empty if there is nothing to write."""
    if not found:
        return ""
    rows = []
    for name, delta in dict.fromkeys((item.strategy, item.delta) for item in found):
        ours = {item.rows: labels for item, labels in found.items() if (item.strategy, item.delta) == (name, delta)}
        rows.append([name, f"{delta:g}", *(_span(ours[n]) for n in ROWS)])
    table = "\n".join(markdown_table(["choice", "delta", *(f"{n:,} rows" for n in ROWS)], rows))
    return f"""
## Where the matter is clear

Labels until the feature is certified, on tables of ten features of two values, of which one is the label with
{_ERRORS:.0%} errors: median of {RUNS} tables (smallest to largest), k = 1, with the options of a new session.
Certificates are looked for after every tenth more labels. Strategies that do not draw rows need nearly all labels.

{table}
"""


def _span(labels: Ints) -> str:
    return f"{np.median(labels):.0f} ({labels.min()} to {labels.max()})"
