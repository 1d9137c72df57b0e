"""The part of a README that shows the leaderboard, kept between two marks."""

from __future__ import annotations

import os
from pathlib import Path

from activefs.exceptions import InvalidInputError

START, END = "<!-- leaderboard -->", "<!-- /leaderboard -->"


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
    place = Path(os.path.relpath(out.resolve(), readme.resolve().parent)).as_posix()
    picture = f"![Gap against labels: assisted selection beside AFS and random labelling]({place}/leaderboard.png)"
    return f"{before}{START}\n{picture}\n\n{table.strip()} [The full leaderboard]({place}/report.md).\n{END}{after}"
