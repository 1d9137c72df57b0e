"""What a constraint is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from activefs.codec import plain
from activefs.exceptions import InvalidInputError


class Constraint(ABC):
    """What a setting accepts.

    Attributes
    ----------
    many : bool
        Whether its command-line option may be given several times.
    metavar : str
        What the command line calls the value.
    example : str
        How a value is written on the command line, if that is easily got wrong.
    refused : tuple
        Some values that are refused.
    """

    many: ClassVar[bool] = False
    metavar: ClassVar[str] = "TEXT"
    example: ClassVar[str] = ""
    refused: tuple[Any, ...] = ()

    @abstractmethod
    def __str__(self) -> str:
        """Say what is accepted, so that 'must be ...' can stand before it."""

    def documented(self) -> str:
        """Say what is accepted, for a docstring; nothing is loaded for that."""
        return str(self)

    @abstractmethod
    def value(self, given: Any) -> Any:
        """Return what was given as it is kept.

        Raises
        ------
        ValueError, TypeError
            If it is not accepted.
        """

    def check(self, name: str, given: Any) -> Any:
        """Return what was given as it is kept; an error that names the setting if it is not accepted."""
        try:
            return self.value(plain(given))
        except InvalidInputError:
            raise
        except (ValueError, TypeError):
            raise InvalidInputError(f"{name} must be {self}, got {given!r}") from None

    def to_json(self, name: str, value: Any) -> Any:
        """Write a value as what JSON can hold."""
        return value

    def from_json(self, content: Any) -> Any:
        """Read it."""
        return content

    def from_text(self, text: str) -> Any:
        """Read a value from a command line."""
        return text


class Optional(Constraint):
    """None, or what another constraint accepts."""

    def __init__(self, inner: Constraint) -> None:
        self.inner = inner
        self.many, self.metavar = inner.many, inner.metavar  # type: ignore[misc]
        self.refused = tuple(v for v in inner.refused if v is not None)

    def __str__(self) -> str:
        return f"{self.inner} or None"

    def documented(self) -> str:
        """Say what else than None, which docstrings call optional."""
        return self.inner.documented()

    def value(self, given: Any) -> Any:
        """Let None pass."""
        return None if given is None else self.inner.value(given)

    def to_json(self, name: str, value: Any) -> Any:
        """Write it."""
        return None if value is None else self.inner.to_json(name, value)

    def from_json(self, content: Any) -> Any:
        """Read it."""
        return None if content is None else self.inner.from_json(content)

    def from_text(self, text: Any) -> Any:
        """Read it; 'none' is None, unless it means something."""
        return None if text in ("none", "None") else self.inner.from_text(text)
