"""Which parts a package offers: its public names, so that there is no second list to forget."""

from __future__ import annotations

from types import ModuleType
from typing import TypeVar

Part = TypeVar("Part")


def parts_of(package: ModuleType, base: type[Part]) -> list[type[Part]]:
    """Return the classes among the package's public names that derive from `base`, without `base` itself.

    Parameters
    ----------
    package : module
        Such as ``activefs.intervals``.
    base : type
        Such as ``activefs.intervals.Interval``.

    Examples
    --------
    >>> from activefs import intervals
    >>> [c.__name__ for c in parts_of(intervals, intervals.Interval)]
    ['ClopperPearson', 'EmpiricalBernstein', 'Hoeffding']
    """
    public = [getattr(package, name) for name in package.__all__]
    return [c for c in public if isinstance(c, type) and issubclass(c, base) and c is not base]
