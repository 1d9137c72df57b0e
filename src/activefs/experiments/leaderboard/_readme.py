"""The part of a README that shows the leaderboard, kept between two marks."""

from __future__ import annotations

import os
from pathlib import Path

from activefs.exceptions import InvalidInputError

START, END = "<!-- leaderboard -->", "<!-- /leaderboard -->"
FILES = "https://raw.githubusercontent.com/activefs/activefs/main"
"""Where files of the repository are, for a README that is read outside of it, on the package index say."""
PAGES = "https://activefs.readthedocs.io/en/stable"
"""Where pages below docs/ are."""


def check_marks(readme: Path) -> None:
    """Refuse a file that is not there or does not have both marks, in order."""
    try:
        text = readme.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidInputError(f"cannot read {readme} ({error.strerror or error})") from error
    if text.count(START) != 1 or text.count(END) != 1 or text.index(START) > text.index(END):
        raise InvalidInputError(f"{readme} needs the lines {START} and {END}, once each: what is between is replaced")


def with_leaderboard(readme: Path, table: str, out: Path) -> str:
    """Put table, picture and a link to the report between the marks of a README; the text as it shall be."""
    check_marks(readme)
    text = readme.read_text(encoding="utf-8")
    before, rest = text.split(START)
    after = rest.split(END)[1]
    picture, page = _addresses(Path(os.path.relpath(out.resolve(), readme.resolve().parent)))
    shown = f"![Gap against labels: assisted selection beside AFS and random labelling]({picture})"
    return f"{before}{START}\n{shown}\n\n{table.strip()} [The full leaderboard]({page}).\n{END}{after}"


def _addresses(place: Path) -> tuple[str, str]:
    """Where picture and report are found: of results below docs/, which are published, in the network; of others, here.

    Examples
    --------
    >>> _addresses(Path("docs/results/leaderboard"))[1]
    'https://activefs.readthedocs.io/en/stable/results/leaderboard/report.html'
    >>> _addresses(Path("../mine"))
    ('../mine/leaderboard.png', '../mine/report.md')
    """
    here = place.as_posix()
    if place.parts[:1] != ("docs",):
        return f"{here}/leaderboard.png", f"{here}/report.md"
    below = Path(*place.parts[1:]).as_posix()
    return f"{FILES}/{here}/leaderboard.png", f"{PAGES}/{below}/report.html"
