"""Columns that cannot be features, and what people are told about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from activefs.tables._places import RowPlace

MAX_VALUES = 65_535

_ADVICE = {
    "missing": "missing values (NaN or null) in {columns}: fill them in, or pass missing='value' to treat "
    "'missing' as a value of its own",
    "infinite": "infinite (inf) values in {columns}: replace them by a finite number",
    "mixed": "mixed or unsupported types in {columns}: make each of these columns all numbers, all strings or "
    "all booleans, or leave them out (ignore=...)",
    "date": "{columns} cannot be features as they are: turn dates into numbers (an age in days, say), or leave them "
    "out (ignore=...)",
    "bins": "bins are for numbers, but {columns} hold text: make numbers of it, or say nothing of bins",
    "many": f"more than {MAX_VALUES:,} distinct values in {{columns}}: group them, let numbers be binned, or leave the "
    "column out (ignore=...)",
}


class UnusableColumn(Exception):  # noqa: N818 - carries a reason; the reader of the table makes it an error
    """This column cannot be a feature.

    Attributes
    ----------
    kind : str
        Groups columns with the same advice.
    row : int or None
        Where that shows first, if it is known.
    what : str
        What is there.
    """

    def __init__(self, kind: str, detail: str, row: int | None = None, what: str = "the first") -> None:
        super().__init__(detail)
        self.kind, self.row, self.what = kind, row, what

    def told(self, column: str, place_of: Callable[[int], RowPlace] | None) -> str:
        """Name the column, say why, and where that shows first, if somebody knows."""
        where = "" if self.row is None or place_of is None else f", {place_of(self.row).first(self.what)}"
        return f"{column!r} ({self}{where})"


def explain(problems: Mapping[str, Sequence[str]]) -> str:
    """Say what is wrong with columns, and what to do, kind by kind.

    Examples
    --------
    >>> explain({"infinite": ["'a' (infinite values)", "'b' (infinite values)"]})
    "infinite (inf) values in columns 'a' (infinite values), 'b' (infinite values): replace them by a finite number"
    """
    parts = []
    for kind, columns in problems.items():
        shown = ", ".join(columns[:5]) + (f" and {len(columns) - 5} more" if len(columns) > 5 else "")
        parts.append(_ADVICE[kind].format(columns=("columns " if len(columns) > 1 else "column ") + shown))
    return "; ".join(parts)
