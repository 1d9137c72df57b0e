"""`activefs study pause|resume|archive|restore`: whether a study goes on."""

from __future__ import annotations

from collections.abc import Callable

import typer

from activefs.cli._arguments import Url
from activefs.cli._study_common import opened, printed_name
from activefs.study import Person, StudyEngine


def pause(url: Url) -> None:
    """Ask nobody any more, until the study is resumed; rows that somebody holds can still be answered."""
    _mark(url, StudyEngine.pause, "paused: nobody gets new rows", "resume")


def resume(url: Url) -> None:
    """Go on with a study that is paused."""
    _mark(url, StudyEngine.resume, "open: rows are asked again", "")


def archive(url: Url) -> None:
    """Keep a study as it is: it can be looked at and exported, and nothing in it can be changed."""
    _mark(url, StudyEngine.archive, "archived: nothing in it can be changed", "restore")


def restore(url: Url) -> None:
    """Take a study out of the archive."""
    _mark(url, StudyEngine.restore, "taken out of the archive", "")


def _mark(url: str, move: Callable[[StudyEngine, Person], None], said: str, back: str) -> None:
    with opened(url, None, at_once=False) as study:
        move(study.engine, study.person)
        with study.engine.reading() as state:
            paused = state.paused and not state.archived
    if not back and paused:  # what comes out of the archive is as it went in
        said, back = f"{said}, and paused", "resume"
    until = f", until activefs study {back} {printed_name(url)}" if back else ""
    typer.echo(f"The study is {said}{until}.")
