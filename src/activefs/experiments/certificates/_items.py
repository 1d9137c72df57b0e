"""The work: sessions on small tables, run until no row is left, with everything that people do in between."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from activefs.exceptions import NothingToAsk
from activefs.experiments.certificates._plan import CertificateLine
from activefs.experiments.certificates._tables import SmallTable, small_table
from activefs.pool import Pool
from activefs.runs import Source, number_of
from activefs.selection import Selection
from activefs.session import Session
from activefs.types import Floats, Ints

# Part of every item's key: raise it whenever the same key would give other numbers.
VERSION = 1
BATCH = 25
"""Sessions of an item."""
_ROUNDING = 1e-9
_LOOKS = 12
"""Moments of a session at which the whole answer is looked at; whether it is certified is asked after every label."""
COLUMNS = ("rows", "first", "false", "gap_exceeded", "outside", "finite")


@dataclass(frozen=True, eq=False)
class Certificates:
    """What happened in some sessions; arrays with an entry per session.

    Attributes
    ----------
    rows : array of int
        Rows of the table.
    first : array of int
        Labels with which something was certified first; 0: never.
    false : array of bool
        Whether anything wrong was certified at any moment.
    gap_exceeded : array of bool
        Whether the true gap was larger than the guaranteed one at any of the moments that were looked at.
    outside : array of bool
        Whether the true quality of any feature was outside of its guaranteed bounds at any of these moments.
    finite : array of float
        Share of these moments at which a gap was guaranteed.
    """

    rows: Ints
    first: Ints
    false: Ints
    gap_exceeded: Ints
    outside: Ints
    finite: Floats


@dataclass(frozen=True)
class CertificateItem:
    """Work item: some sessions with the same options.

    Attributes
    ----------
    line : CertificateLine
        The options.
    delta : float
        Confidence parameter.
    batch, sessions : int
        Number of the item, and how many sessions it has.
    """

    line: CertificateLine
    delta: float
    batch: int
    sessions: int = BATCH

    @property
    def source(self) -> Source | None:
        """No data set: tables are made up."""
        return None

    @property
    def path(self) -> Path:
        """Where it is kept, below the folder of all items."""
        line = self.line
        content = [VERSION, line.strategy, line.estimator, line.rule, line.criterion, self.delta, self.batch]
        name = f"{line.strategy}-{line.estimator}-{line.rule}-{line.criterion}"
        return Path(name) / f"{self.delta:g}-{self.batch:03d}-{number_of([*content, self.sessions]):016x}.parquet"

    @property
    def weight(self) -> float:
        """About how long it takes, in microseconds."""
        per_label = 4e4 if self.line.asks_model else 4e3
        return self.sessions * 130 * per_label * (1.0 if self.line.rule in ("none", "mrmr") else 2.0)

    def to_table(self, result: Certificates) -> pa.Table:
        """One row per session."""
        return pa.table({name: getattr(result, name) for name in COLUMNS})

    def from_table(self, table: pa.Table) -> Certificates | None:
        """The same back."""
        found = Certificates(*(table.column(name).to_numpy() for name in COLUMNS))
        return found if found.rows.size == self.sessions else None

    def compute(self) -> Certificates:
        """Run the sessions."""
        first = self.batch * BATCH
        found = [_run(small_table(first + i), self, first + i) for i in range(self.sessions)]
        return Certificates(*(np.array(numbers) for numbers in zip(*found, strict=True)))


def _run(table: SmallTable, item: CertificateItem, seed: int) -> tuple[int, int, int, int, int, float]:
    rng = np.random.default_rng([seed, 34])
    pool = Pool.from_table(table.X)
    named = bool(rng.random() < 0.7)  # else classes turn up
    options: dict[str, Any] = {**item.line.options, "delta": item.delta, "when_certified": "continue"}
    options |= {"random_state": seed, "classes": list(range(table.n_classes)) if named else None}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        truth = _Truth(pool, table, item.line)
        session = Session(pool, table.k, **options)
        rows = _known_labels(session, table, rng)
        looks = set(np.linspace(1, len(table.y), _LOOKS, dtype=int).tolist())
        certified = false = exceeded = outside = looked = finite = 0
        before = -1
        while True:
            if session.n_labels != before:
                before = session.n_labels
                if session.certified:
                    certified = certified or max(before, 1)
                    false |= truth.gap(session.leaders()) > _ROUNDING
                if before in looks:
                    looks.discard(before)
                    selection = session.selection()
                    looked += 1
                    finite += selection.guaranteed_gap is not None
                    exceeded |= truth.exceeds(selection, session.leaders())
                    outside |= truth.is_outside(session)
            if not _next(session, table, rows, rng):
                break
    return len(table.y), certified, int(false), int(exceeded), int(outside), finite / max(looked, 1)


class _Truth:
    """What all labels say, computed by telling them to another session."""

    def __init__(self, pool: Pool, table: SmallTable, line: CertificateLine) -> None:
        same: dict[str, Any] = {
            "redundancy": line.rule,
            "criterion": line.criterion,
            "classes": list(range(table.n_classes)),
        }
        self.session = Session(pool, table.k, strategy="random", random_state=0, **same)
        self.session.tell(range(len(table.y)), table.y.tolist())
        self.value = self.session.values()

    def gap(self, leaders: Ints) -> float:
        return float(self.session.rule.lacking(self.session.estimates, leaders, np.random.default_rng(0)))

    def exceeds(self, selection: Selection, leaders: Ints) -> bool:
        said = selection.guaranteed_gap
        return said is not None and self.gap(leaders) > said + _ROUNDING

    def is_outside(self, session: Session) -> bool:
        lower, upper = session.guaranteed_bounds()
        return bool(((self.value < lower - _ROUNDING) | (self.value > upper + _ROUNDING)).any())


def _known_labels(session: Session, table: SmallTable, rng: np.random.Generator) -> list[int]:
    """Tell some labels that were there before; returns the list of pending rows, which is empty."""
    known = rng.permutation(len(table.y))[: rng.integers(0, 4)]
    if rng.random() < 0.5 and known.size:
        session.tell(known, table.y[known].tolist())
    return []


def _next(session: Session, table: SmallTable, pending: list[int], rng: np.random.Generator) -> bool:
    """Do one thing that people do; False if there is nothing left to do."""
    if not pending:
        try:
            pending += session.ask(n=int(rng.choice([1, 1, 1, 2, 4]))).tolist()
        except NothingToAsk:
            return False
    row = pending.pop(int(rng.integers(len(pending))))  # in any order
    what = rng.random()
    if what < 0.02:
        session.skip(row)
    elif what < 0.03:
        session.release(row)
    elif what < 0.05:
        session.tell(row, int((table.y[row] + 1) % table.n_classes))
        session.correct(row, int(table.y[row]))
    else:
        session.tell(row, int(table.y[row]))
        if what > 0.98:
            session.undo()
    return True
