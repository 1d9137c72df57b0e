"""What all chunks together amount to: the meaning of the codes, and what becomes of provisional ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from activefs.streams._facts import ChunkFacts
from activefs.streams._final import Final, final_codes, needs_bins, told
from activefs.streams._gathered import Gathered
from activefs.streams._plan import Plans, joined, plan_distinct
from activefs.tables import CONSTANT, WHY, Encoding, LeftOut, RowPlace, UnusableColumn
from activefs.types import Array, Ints, UInt64s


@dataclass(eq=False)
class EncodedColumns:
    """The columns of a table as features.

    Attributes
    ----------
    kept : list of int
        Columns of the table that are features.
    names : list of str
        Their names.
    rows : list of int
        Their rows in the codes of chunks.
    encodings : list of Encoding
        What their codes mean.
    counts, marks : lists of arrays
        Rows with each value, and the sum of their words (of `splitmix64`, modulo 2^64).
    left_out : list of LeftOut
        Columns that are no features, and why.
    problems : dict
        Columns that make the table unusable, by kind: see `activefs.tables.explain`.
    again : Plans or None
        If codes did not fit: plans by which all chunks must be coded again.
    """

    kept: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    encodings: list[Encoding] = field(default_factory=list)
    counts: list[Ints] = field(default_factory=list)
    marks: list[UInt64s] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    problems: dict[str, list[str]] = field(default_factory=dict)
    again: Plans | None = None
    _finals: list[Final] = field(default_factory=list)

    @property
    def has_remaps(self) -> bool:
        """Whether provisional codes of some feature are not final."""
        return any(final.table is not None for final in self._finals)

    def remap(self, feature: int, first_row: int) -> Array | None:
        """Final codes by provisional ones, for a feature in the chunk that begins at this row; None if they are same.

        Features are counted as in `kept`.
        """
        return self._finals[feature].remap(first_row)


class Gathering:
    """Adds up what is known of the chunks of a table, in the order of their rows.

    Parameters
    ----------
    plans : Plans
        How its columns are coded.
    place_of : callable, optional
        Says where a row is, for messages; by default, where its chunk comes from.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from activefs.streams import encode_chunk, plan_columns
    >>> from activefs.tables import ColumnOptions
    >>> table = pa.table({"colour": ["red", "blue", "red", "green"]})
    >>> plans = plan_columns(table[:2], ColumnOptions(["colour"], 10, "kmeans", False, []), exact=False)
    >>> gathering = Gathering(plans)
    >>> gathering.add(encode_chunk(plans, [table], 0).facts)
    >>> encoded = gathering.finish()
    >>> encoded.encodings[0].values, encoded.counts[0].tolist(), encoded.remap(0, 0).tolist()
    (('blue', 'green', 'red'), [1, 1, 2], [0, 2, 2, 1])
    """

    def __init__(self, plans: Plans, place_of: Callable[[int], RowPlace] | None = None) -> None:
        self._plans = plans
        self._columns = [Gathered(plan, place_of) for plan in plans.columns]
        self._n_rows = 0

    def add(self, facts: ChunkFacts) -> None:
        """Add a chunk."""
        self._n_rows += facts.n_rows
        for gathered, column in zip(self._columns, facts.columns, strict=True):
            gathered.add(column, facts.first_row, facts.origin)

    def finish(self) -> EncodedColumns:
        """Say what all chunks amount to."""
        encoded = EncodedColumns()
        if self._do_not_fit():
            encoded.again = self._other_plans()
            return encoded
        for gathered in self._columns:
            try:
                final = final_codes(gathered, self._n_rows)
            except UnusableColumn as reason:
                if reason.kind in WHY:
                    encoded.left_out.append(LeftOut(gathered.plan.name, WHY[reason.kind]))
                else:
                    encoded.problems.setdefault(reason.kind, []).append(told(reason, gathered))
                continue
            if final.encoding.n_values < 2:
                encoded.left_out.append(LeftOut(gathered.plan.name, CONSTANT))
            else:
                _keep(encoded, gathered, final)
        return encoded

    def _do_not_fit(self) -> bool:
        """Whether something does not fit that is still needed; a column that cannot be a feature is not."""
        return any(self._troubled(gathered) for gathered in self._columns)

    def _troubled(self, gathered: Gathered) -> bool:
        return (gathered.too_wide or needs_bins(gathered)) and not self._hopeless(gathered)

    def _hopeless(self, gathered: Gathered) -> bool:
        try:
            if needs_bins(gathered):
                gathered.check()
                return False
            return final_codes(gathered, self._n_rows).encoding.n_values < 2
        except UnusableColumn:
            return True

    def _other_plans(self) -> Plans:
        plans = []
        for gathered in self._columns:
            plan = gathered.plan
            if self._troubled(gathered):
                found, _ = gathered.distinct()
                exact = not gathered.overflowed
                # One byte does not do: bins if there are to be some, or all values that there are.
                plan = plan_distinct(plan.name, plan.position, plan.options, gathered.what, found, exact)
                if not exact and plan.bins is not None and found.values.dtype.kind in "iu":
                    plan = replace(plan, sketched=gathered.may_be_names)
            plans.append(plan)
        return joined(plans, self._plans.n_columns)


def finish(plans: Plans, facts: Iterable[ChunkFacts]) -> EncodedColumns:
    """Say what all chunks of a table amount to; their facts may come in any order.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from activefs.streams import encode_chunk, plan_columns
    >>> from activefs.tables import ColumnOptions
    >>> table = pa.table({"colour": ["red", "blue", "red", None]})
    >>> plans = plan_columns(table[:2], ColumnOptions(["colour"], 10, "kmeans", False, []), exact=False)
    >>> finish(plans, [encode_chunk(plans, [table], 0, "colours.csv").facts]).problems
    {'missing': ["'colour' (1 missing, the first in row 3, in colours.csv)"]}
    """
    gathering = Gathering(plans)
    for chunk in sorted(facts, key=lambda chunk: chunk.first_row):
        gathering.add(chunk)
    return gathering.finish()


def _keep(encoded: EncodedColumns, gathered: Gathered, final: Final) -> None:
    plan = gathered.plan
    assert plan.row is not None
    encoded.kept.append(plan.position)
    encoded.names.append(plan.name)
    encoded.rows.append(plan.row)
    encoded.encodings.append(final.encoding)
    encoded.counts.append(final.counts)
    encoded.marks.append(final.marks)
    encoded._finals.append(final)
