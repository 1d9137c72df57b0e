"""How each column is to be read: for all alike, or column by column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from activefs.constraints import BINNING, BINS, CATEGORICAL, IGNORE, RULES
from activefs.exceptions import InvalidInputError


class ColumnOptions:
    """Checked options of a table's columns.

    Parameters
    ----------
    names : sequence of str
        Columns of the table.
    bins, binning
        A value for all columns, or a mapping from columns, by name or position.
    missing_as_value : bool
        Whether missing values are a value of their own.
    ignore : sequence of str or int
        Columns that are no features, by name or position.
    categorical : sequence of str or int
        Columns whose numbers are names, by name or position.
    rules : int
        How columns are read of which nothing is said: see `RULES`.

    Examples
    --------
    >>> options = ColumnOptions(["age", "weight", "zip"], {"age": 4}, "kmeans", False, ["weight"], [2])
    >>> options.of("age")["bins"], options.of("zip")["categorical"], options.ignored
    (4, True, {1})
    """

    def __init__(
        self,
        names: Sequence[str],
        bins: Any,
        binning: Any,
        missing_as_value: bool,
        ignore: Sequence[str | int],
        categorical: Sequence[str | int] = (),
        rules: int = RULES,
    ) -> None:
        self._missing, self._rules = missing_as_value, rules
        bins, binning, ignore, categorical = (
            accepts.check(name, given)
            for name, accepts, given in (
                ("bins", BINS, bins),
                ("binning", BINNING, binning),
                ("ignore", IGNORE, ignore),
                ("categorical", CATEGORICAL, categorical),
            )
        )
        self._bins = _by_name("bins", bins, names)
        self._default_bins = 10 if isinstance(bins, Mapping) else bins
        self._binning = _by_name("binning", binning, names)
        self._default_binning = "kmeans" if isinstance(binning, Mapping) else binning
        if rules > 1:  # studies of release 0.1 go on with what they have
            _refuse_ambiguous("ignore", ignore, names)
        _refuse_ambiguous("categorical", categorical, names)
        self.ignored = {_position("ignore", column, names) for column in ignore}
        self._categorical = {names[_position("categorical", column, names)] for column in categorical}
        both = {*self._bins, *(name for name, how in self._binning.items() if how != "none")} & self._categorical
        if both:
            raise InvalidInputError(
                f"categorical keeps the values of a column as they are, but bins or binning asks for bins of "
                f"{', '.join(map(repr, sorted(both)))}: say one of the two"
            )

    def of(self, name: str) -> dict[str, Any]:
        """Keyword arguments of `encode_column` for a column."""
        explicit = self._binning.get(name)
        if explicit is None and name in self._bins:
            # A number of bins asks for bins, whatever counts for the others.
            explicit = self._default_binning if self._default_binning != "none" else "kmeans"
        return {
            "missing_as_value": self._missing,
            "bins": int(self._bins.get(name, self._default_bins)),
            "binning": explicit,
            "default": self._default_binning,
            "categorical": name in self._categorical,
            "rules": self._rules,
        }


def refuse_roles(options: Mapping[str, Any], roles: Mapping[str | None, str], flag: str = "") -> None:
    """Refuse settings of columns that are no features because they have another role.

    Examples
    --------
    >>> refuse_roles({"bins": {"pid": 3}}, {"pid": "id"})
    Traceback (most recent call last):
    activefs.exceptions.InvalidInputError: bins names 'pid', which is the id and no feature: leave it out there
    """
    for setting in ("ignore", "categorical", "bins", "binning"):
        said = options.get(setting)
        for column in said if isinstance(said, (Sequence, Mapping)) and not isinstance(said, str) else ():
            if column in roles:
                raise InvalidInputError(
                    f"{flag}{setting} names {column!r}, which is the {roles[column]} and no feature: leave it out there"
                )


def _by_name(option: str, given: Any, names: Sequence[str]) -> dict[str, Any]:
    """Values by the names of their columns; nothing if there is one value for all."""
    if not isinstance(given, Mapping):
        return {}
    _refuse_ambiguous(option, given, names)
    found = {}
    for column, value in given.items():
        name = names[_position(option, column, names)]
        if name in found:
            raise InvalidInputError(f"{option} names column {name!r} twice: say it once, by name or position")
        found[name] = value
    return found


def _refuse_ambiguous(option: str, columns: Iterable[str | int], names: Sequence[str]) -> None:
    """Refuse a position that is also the name of another column: columns of pandas may be numbers."""
    for column in columns:
        if not isinstance(column, str) and str(column) in names:
            name = names[_position(option, column, names)]
            if name != str(column):
                raise InvalidInputError(
                    f"{option} names column {column}, which is {name!r} by position, while another is called "
                    f"{str(column)!r}: write the name as text"
                )


def _position(option: str, column: str | int, names: Sequence[str]) -> int:
    if isinstance(column, (int, np.integer)) and not isinstance(column, bool):
        if not -len(names) <= column < len(names):
            raise InvalidInputError(f"{option} names column {column}, but the table has {len(names)} columns")
        return int(column) % len(names)
    if column not in names:
        raise InvalidInputError(f"{option} names a column that the table does not have: {column!r}")
    return list(names).index(str(column))
