"""Parts with a name and parameters (strategies, criteria, intervals, rules, policies), and finding them by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any, ClassVar, Generic, Self, TypeVar

from activefs.exceptions import InvalidInputError


class Component:
    """A part that is known by its name and by the parameters of its ``__init__``, as scikit-learn's estimators are.

    Every parameter of ``__init__`` is kept in an attribute of the same name, unchanged. So a component can be printed
    as the expression that makes it, compared, cloned by :func:`sklearn.base.clone`, and its parameters can be searched
    in a grid (``strategy__psi``).

    Examples
    --------
    >>> from activefs.strategies import AFS
    >>> AFS(psi="l2")
    AFS(psi='l2')
    >>> AFS(psi="l2").set_params(safeguard=None).get_params()["safeguard"] is None
    True
    """

    name: ClassVar[str]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        Parameters
        ----------
        deep : bool, default True
            Whether the parameters of parameters that have some themselves are there, too, as ``part__name``.

        Returns
        -------
        dict
            Parameters by name.
        """
        params = {name: getattr(self, name) for name in parameters_of(type(self))}
        if deep:
            for name, value in list(params.items()):
                if hasattr(value, "get_params") and not isinstance(value, type):
                    params |= {f"{name}__{inner}": v for inner, v in value.get_params().items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Change parameters and return the component; what it had computed before is forgotten.

        Parameters
        ----------
        **params
            Parameters by name; those of a parameter that has some itself as ``part__name``.

        Returns
        -------
        component
            Itself.

        Raises
        ------
        InvalidInputError
            If there is no such parameter, or its value is refused; the component is unchanged then.

        Examples
        --------
        >>> from activefs.strategies import AFS
        >>> AFS().set_params(psi="l2", safeguard=None)
        AFS(psi='l2', safeguard=None)
        """
        own: dict[str, Any] = {}
        nested: dict[str, dict[str, Any]] = {}
        for key, value in params.items():
            name, separator, inner = key.partition("__")
            if separator:
                nested.setdefault(name, {})[inner] = value
            else:
                own[name] = value
        _check_names(self.name, type(self), [*own, *nested])
        changed = {**self.get_params(deep=False), **own}
        type(self)(**changed)  # refused here, if at all
        self.__init__(**changed)  # type: ignore[misc]
        for name, some in nested.items():
            getattr(self, name).set_params(**some)
        return self

    def __repr__(self) -> str:
        defaults = parameters_of(type(self))
        params = self.get_params(deep=False)
        shown = (f"{name}={value!r}" for name, value in params.items() if not _same(value, defaults[name]))
        return f"{type(self).__name__}({', '.join(shown)})"

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        mine, others = self.get_params(deep=False), other.get_params(deep=False)
        return all(_same(value, others[name]) for name, value in mine.items())

    def __hash__(self) -> int:
        return hash((type(self), repr(self)))


def parameters_of(kind: type) -> dict[str, Any]:
    """Names of the parameters that a class takes, and their defaults.

    Examples
    --------
    >>> from activefs.allocation import InformationCP
    >>> parameters_of(InformationCP)
    {'delta': 0.05, 'criterion': 'mutual_information'}
    """
    found = inspect.signature(kind).parameters.values()
    return {p.name: p.default for p in found if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}


C = TypeVar("C", bound=Component)


class Registry(Generic[C]):
    """All components of one kind, by name.

    Parameters
    ----------
    kind : str
        What they are called in messages: "strategy".
    base : type
        What all of them derive from.
    package : str
        Package whose public names they are: a new component is found as soon as it is one of them.
    order : callable, optional
        Gives the classes instead, in an order that means something; by default they are sorted by name.

    Examples
    --------
    >>> from activefs.intervals import Interval
    >>> registry = Registry("interval", Interval, "activefs.intervals")
    >>> registry.available()
    ['clopper-pearson', 'empirical-bernstein', 'hoeffding']
    >>> registry.create("hoeffding")
    Hoeffding()
    """

    def __init__(
        self, kind: str, base: Callable[..., C], package: str, order: Callable[[], Iterable[type[C]]] | None = None
    ) -> None:
        self.kind = kind
        assert isinstance(base, type)
        self._base: type[C] = base
        self._package, self._order = package, order

    def classes(self) -> dict[str, type[C]]:
        """Return the classes by name."""
        if self._order is not None:
            return {c.name: c for c in self._order()}
        package = import_module(self._package)
        public = (getattr(package, name) for name in package.__all__)
        found = [c for c in public if isinstance(c, type) and issubclass(c, self._base) and hasattr(c, "name")]
        return {c.name: c for c in sorted(found, key=lambda c: c.name)}

    def available(self) -> list[str]:
        """Return the names that :meth:`create` knows.

        Returns
        -------
        list of str
            The names; of most kinds in alphabetical order.

        Examples
        --------
        >>> from activefs import intervals
        >>> intervals.available()
        ['clopper-pearson', 'empirical-bernstein', 'hoeffding']
        """
        return list(self.classes())

    def known(self, what: str | C) -> str | C:
        """Return a name or an object as it is; refuse a name that stands for nothing."""
        if not isinstance(what, self._base) and (not isinstance(what, str) or what not in self.classes()):
            raise InvalidInputError(f"unknown {self.kind} {what!r}; there are: {', '.join(self.available())}")
        return what

    def create(self, what: str | C, params: Mapping[str, Any] | None = None, **more: Any) -> C:
        """Make the component of that name; an object is handed back as it is.

        Parameters
        ----------
        what : str or component
            A name, or an object.
        params : mapping, optional
            Parameters, for a name only; they may as well be given by keyword.
        **more
            Parameters, for a name only.

        Returns
        -------
        component
            The object.

        Raises
        ------
        InvalidInputError
            If the name or a parameter is unknown, or a parameter is refused.

        Examples
        --------
        >>> from activefs import strategies
        >>> strategies.create("afs", psi="l2")
        AFS(psi='l2')
        """
        given = {**(params or {}), **more}
        if isinstance(what, self._base):
            if given:
                raise InvalidInputError(
                    f"{self.kind} {what!r} is an object already: its parameters are set when it is made"
                )
            return what
        known = self.classes()
        self.known(what)
        assert isinstance(what, str)
        _check_names(f"{self.kind} {what!r}", known[what], given)
        return known[what](**given)


def _check_names(what: str, kind: type, names: Iterable[str]) -> None:
    accepted = parameters_of(kind)
    if unknown := sorted(set(names) - set(accepted)):
        has = ", ".join(accepted) or "none"
        raise InvalidInputError(f"{what} has no parameter {', '.join(map(repr, unknown))}; it has: {has}")


def _same(a: Any, b: Any) -> bool:
    """Whether two values are equal; arrays and the like, which cannot tell, only if they are one object."""
    if a is b:
        return True
    try:
        return type(a) is type(b) and bool(a == b)
    except (TypeError, ValueError):
        return False
