"""What people are told about columns that were left out."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from activefs.exceptions import LeftOutWarning
from activefs.tables import LeftOut, listed_left_out, may_be_amounts, not_constant


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
