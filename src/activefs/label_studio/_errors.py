"""What can go wrong with Label Studio: what passes by itself, and what does not."""

from __future__ import annotations

from activefs.exceptions import ActiveFSError, InvalidInputError


class Unavailable(ActiveFSError):  # noqa: N818 - it passes
    """Label Studio cannot be reached, or is too busy: the same request may work later.

    Parameters
    ----------
    said : str
        What happened.
    wait : float or None
        Seconds that Label Studio asks to wait.
    """

    def __init__(self, said: str, wait: float | None = None) -> None:
        super().__init__(said)
        self.wait = wait


class NotThere(ActiveFSError):  # noqa: N818 - a state, which the caller explains
    """What was asked for does not exist (any more)."""


class Refused(InvalidInputError):  # noqa: N818
    """Label Studio understood, and does not want to: a wrong token, a missing right, data that it does not take."""


def printable(text: object, length: int = 300) -> str:
    r"""Write what somebody else said in one line that no terminal obeys.

    Examples
    --------
    >>> printable("a\x1b[2Jb")
    'a [2Jb'
    """
    said = " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())
    return said if len(said) <= length else said[: length - 3] + "..."
