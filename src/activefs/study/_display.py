"""A study as notebooks show it."""

from __future__ import annotations

from collections.abc import Callable

from activefs.rendering import ABOUT_CHANCE, labels_used, render, words_for
from activefs.study._engine import StudyEngine
from activefs.study._status import Status, moment_of
from activefs.tables import listed_left_out

_SHOWN = 12
"""Classes that are listed with their numbers; those with most labels, if there are more."""


def described(engine: StudyEngine) -> str:
    """Say in a line what a study is and how far it is, without looking at its table."""
    settings, here = engine.settings, engine.position()
    aside = f", {len(here.skipped)} skipped" if here.skipped else ""
    waiting = f", {len(here.pending)} being labelled now" if here.pending else ""
    return (
        f"<Study {settings.title!r}: {settings.k} feature{'s' if settings.k > 1 else ''} wanted, {engine.n_rows:,} "
        f"rows, strategy {settings.strategy!r}: {_used(engine, len(here.told))}{waiting}{aside}>"
    )


def displayed(engine: StudyEngine, status: Callable[[], Status]) -> str:
    """Write a study as HTML; its status is asked for once there are labels."""
    from activefs.selection import ARBITRARY

    moment, settings = moment_of(engine), engine.settings
    here = moment.position
    stands = status() if here.told else None
    with engine.reading() as state:
        paused, archived = state.paused, state.archived
    classes = sorted(moment.classes, key=lambda pair: -pair[1]) if len(moment.classes) > _SHOWN else moment.classes
    return render(
        "study.html",
        title=settings.title,
        k=settings.k,
        n_rows=engine.n_rows,
        strategy=settings.strategy,
        used=stands.used if stands else _used(engine, 0),
        classes=classes[:_SHOWN],
        more=len(classes) - len(classes[:_SHOWN]),
        n_open=len(here.pending),
        n_skipped=len(here.skipped),
        paused=paused,
        archived=archived,
        status=stands,
        left_out=listed_left_out(stands.left_out) if stands else "",
        selection=stands.selection if stands else None,
        words=words_for(settings.criterion),
        about_chance=ABOUT_CHANCE,
        about_arbitrary=ARBITRARY,
    )


def _used(engine: StudyEngine, n_labels: int) -> str:
    # What labels cost is known when the table is; a budget beside a number of labels would be compared with it.
    priced = engine.settings.cost is not None
    return labels_used(n_labels, None, None if priced else engine.settings.budget)
