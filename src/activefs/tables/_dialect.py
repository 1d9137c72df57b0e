"""How a file is written: what is between its columns, its decimal sign, its encoding, the sheet of a workbook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from activefs.constraints import DECIMAL, ENCODING, SEPARATOR, SEPARATORS, SHEET, Optional

_SAID = {"sep": SEPARATOR, "decimal": DECIMAL, "encoding": ENCODING, "sheet": SHEET}
_BETWEEN = {sep: name for name, sep in SEPARATORS.items()}


@dataclass(frozen=True)
class Dialect:
    r"""How a file is written; what is None is found out when it is read.

    Attributes
    ----------
    sep : str or None
        The character between two columns of a text file.
    decimal : {".", ","} or None
        The sign before the decimals of a number in a text file.
    encoding : str or None
        Name of the encoding of a text file.
    sheet : str or None
        Name of the sheet of an Excel file.

    Examples
    --------
    >>> Dialect.checked(sep="tab").sep
    '\t'
    """

    sep: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    sheet: str | None = None

    @classmethod
    def checked(cls, **given: Any) -> Dialect:
        """Check what was said, with one wording for Python and the command line."""
        return cls(**{name: Optional(_SAID[name]).check(name, value) for name, value in given.items()})

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Dialect:
        """Take what settings say that were checked before."""
        return cls(**{name: settings.get(name) for name in _SAID})

    @property
    def said(self) -> dict[str, str]:
        """What is not to be found out, by name."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def in_words(self) -> str:
        """Describe what is special about it, for people who want to see that it was found out rightly; else nothing.

        Examples
        --------
        >>> Dialect(";", ",", "cp1252").in_words()
        'semicolons between columns, decimal commas, encoding cp1252'
        >>> Dialect(",", ".", "utf-8").in_words()
        ''
        """
        parts = []
        if self.sep not in (None, ","):
            parts.append(f"{between(self.sep)} between columns")
        if self.decimal == ",":
            parts.append("decimal commas")
        if self.encoding not in (None, "utf-8"):
            parts.append(f"encoding {self.encoding}")
        if self.sheet is not None:
            parts.append(f"sheet {self.sheet!r}")
        return ", ".join(parts)


UNSAID = Dialect()
"""Everything is found out."""


def between(sep: str | None) -> str:
    """Name a separator in the plural.

    Examples
    --------
    >>> between("|"), between("~")
    ('pipes', "'~'")
    """
    return f"{_BETWEEN[sep]}s" if sep in _BETWEEN else repr(sep)
