"""What people are told about columns that cannot be features."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

from activefs.exceptions import LeftOutWarning
from activefs.tables import MAX_VALUES, LeftOut, listed_left_out, may_be_amounts, not_constant

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


def explain(problems: Mapping[str, Sequence[str]]) -> str:
    """Say what is wrong with columns, and what to do, kind by kind."""
    parts = []
    for kind, columns in problems.items():
        shown = ", ".join(columns[:5]) + (f" and {len(columns) - 5} more" if len(columns) > 5 else "")
        parts.append(_ADVICE[kind].format(columns=("columns " if len(columns) > 1 else "column ") + shown))
    return "; ".join(parts)


def how_to_keep(left_out: Sequence[LeftOut], *, terminal: bool = False) -> str:
    """Say how columns are kept that were left out, by the example of the first; in Python, or in the terminal.

    Examples
    --------
    >>> zip_code = LeftOut("zip", "nearly every row has a value of its own")
    >>> print(how_to_keep([zip_code]))
    To keep it, say binning={'zip': 'kmeans'} if it holds amounts, or categorical=['zip'] if its values are categories;
    ignore=['zip'] leaves it out without a word
    """
    first = not_constant(left_out)[0]
    name = first.name
    what = "it" if len(not_constant(left_out)) == 1 else "one of them"
    amounts, categories, ignored = f"binning={{{name!r}: 'kmeans'}}", f"categorical=[{name!r}]", f"ignore=[{name!r}]"
    if terminal:
        amounts, categories = f"--binning '{name}=kmeans'", f"--categorical '{name}'"
        ignored = f"--ignore '{name}' (or --id '{name}', if it names the rows)"
    if may_be_amounts(first):
        said = f"say {amounts} if it holds amounts, or {categories} if its values are categories"
    else:
        said = f"say {categories} if its values are categories, or make numbers of them if they are amounts"
    return f"To keep {what}, {said}; {ignored} leaves it out without a word"


def warn_left_out(left_out: Sequence[LeftOut], *, stacklevel: int) -> None:
    """Warn of columns that were left out although they vary; `stacklevel` as seen by who calls this."""
    if named := not_constant(left_out):
        said = f"left out: {listed_left_out(named)}. {how_to_keep(named)}"
        warnings.warn(said, LeftOutWarning, stacklevel=stacklevel + 1)
