"""Advice in the words of those who read it: on the page there are buttons, for programs there are addresses."""

from __future__ import annotations

from activefs.measurements import IN_THE_TERMINAL

PREFIX = "/api/v1"
"""Where the addresses for programs begin."""

_ON_THE_PAGE = {"use skip() for a row": "press 'Cannot tell' at a row"}
_FOR_PROGRAMS = {"use skip() for a row": f"send the question to POST {PREFIX}/skips for a row"}


def for_the_page(said: str) -> str:
    """Turn advice for Python into advice for people at the page.

    Settings are called by their flags: whoever made the study, most often on the command line, makes the next one.

    Examples
    --------
    >>> for_the_page("use skip() for a row that cannot be labelled")
    "press 'Cannot tell' at a row that cannot be labelled"
    """
    return _replaced(said, _ON_THE_PAGE)


def for_programs(said: str) -> str:
    """Turn advice for Python into advice for whoever writes a program that uses the API.

    Examples
    --------
    >>> for_programs("use skip() for a row that cannot be labelled; classes=[...] names the classes")
    'send the question to POST /api/v1/skips for a row that cannot be labelled; --classes A,B,... names the classes'
    """
    return _replaced(said, _FOR_PROGRAMS)


def _replaced(said: str, words: dict[str, str]) -> str:
    for python, here in {**words, **IN_THE_TERMINAL}.items():
        said = said.replace(python, here)
    return said
