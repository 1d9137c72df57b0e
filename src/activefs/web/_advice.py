"""Advice in the words of those who read it: on the page there are buttons, for programs there are addresses."""

from __future__ import annotations

import re

from activefs.measurements import IN_THE_TERMINAL

PREFIX = "/api/v1"
"""Where the addresses for programs begin."""

_FILE = re.compile(r"give Path\(.*\)$", re.DOTALL)
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
    return _replaced(_FILE.sub("send its text", said), _FOR_PROGRAMS)


HOW_READ = {"sep": "Between columns", "decimal": "Decimal sign", "encoding": "Encoding", "sheet": "Sheet"}
"""What the page of a new study calls the settings that say how a file is read."""

_ON_A_NEW_STUDY = {
    "missing='value'": "the box 'A missing value is ...'",
    "decimal='.'": f"'{HOW_READ['decimal']}'",
    "classes=[...]": "under 'Labels are'",
    "ignore=...": "'use it as: no feature'",
    "categorical=...": "'use it as: categories'",
    **{f"{name}=...": f"'{field}'" for name, field in HOW_READ.items()},
    **{f"{name} {verb}": f"'{field}' {verb}" for name, field in HOW_READ.items() for verb in ("must be", "says how")},
    " or None, got": ", got",
    "hold must be": "the number of rows that one annotator may hold must be",
}
_DESCRIBED = re.compile(r"class_descriptions must be a mapping from classes to (.*), got .*", re.DOTALL)


def for_a_new_study(said: str) -> str:
    """Turn advice for Python into advice for people who make a study on the page.

    Examples
    --------
    >>> for_a_new_study("if there are more, sep=... says what is between them")
    "if there are more, 'Between columns' says what is between them"
    """
    for python, here in _ON_A_NEW_STUDY.items():
        said = said.replace(python, here)
    return _DESCRIBED.sub(r"what a class means must be \1", _FILE.sub("paste its text", said))


def _replaced(said: str, words: dict[str, str]) -> str:
    for python, here in {**words, **IN_THE_TERMINAL}.items():
        said = said.replace(python, here)
    return said
