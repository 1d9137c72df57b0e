"""Which runs are wanted, and what of them is missing."""

from __future__ import annotations

from dataclasses import replace

from activefs.exceptions import DataSetError, InvalidInputError
from activefs.experiments.leaderboard._choices import is_assisted_too
from activefs.experiments.leaderboard._pieces import Estimating, Labelling
from activefs.experiments.leaderboard._settings import KS, Settings
from activefs.experiments.leaderboard._trial import Trial
from activefs.runs import Line, Piece, Source, Store, Work, load


def runs_of(settings: Settings, source: Source, line: Line, k: int) -> list[Piece]:
    """All runs of a choice for a k; if its rows do not depend on k, they are the same for all k."""
    ks = (k,) if line.needs_k else replace(settings, ks=tuple(sorted({*KS, *settings.ks}))).ks_of(source)
    return [Piece(source, line, ks, run, settings.budget_of(source), settings.seed) for run in range(settings.runs)]


def parts_of(settings: Settings, piece: Piece) -> tuple[Labelling, Estimating | None]:
    """What a run consists of: labels, and estimates unless the choice goes without them."""
    estimating = Estimating(piece, settings.measured_of(piece.source)) if is_assisted_too(piece.line) else None
    return Labelling(piece), estimating


def plan_work(settings: Settings, store: Store, *, here: bool) -> tuple[Settings, Work[Trial]]:
    """Find out what is missing; data sets that cannot be had are left out of the settings that come back.

    Parameters
    ----------
    settings : Settings
        What is wanted.
    store : Store
        What is there.
    here : bool
        Whether the work is done on this machine, so that data sets must be here.
    """
    kept: list[Source] = []
    notes: list[str] = []
    trials: list[Trial] = []
    wanted = missing = 0
    for source in settings.sources:
        ks = settings.ks_of(source)
        if too_large := [k for k in settings.ks if k not in ks]:
            which = ", ".join(map(str, too_large))
            notes.append(f"{source.name} has {source.features} features, less than twice k={which}: left out")
        pieces = dict.fromkeys(p for line in settings.lines for k in ks for p in runs_of(settings, source, line, k))
        some = [trial for piece in pieces if (trial := _missing(settings, piece, store)).pieces]
        if not pieces or (some and here and (reason := _why_absent(source))):
            if pieces:
                notes.append(f"{source.name} is left out: {reason}")
            continue
        kept.append(source)
        wanted += sum(1 + is_assisted_too(piece.line) for piece in pieces)
        missing += sum(len(trial.pieces) for trial in some)
        trials += some
    if not kept:
        raise InvalidInputError(f"there is nothing to run: {'; '.join(notes)}")
    return replace(settings, sources=tuple(kept)), Work(trials, wanted, missing, notes)


def _missing(settings: Settings, piece: Piece, store: Store) -> Trial:
    labelling, estimating = parts_of(settings, piece)
    absent: list[Labelling | Estimating] = [labelling] if not store.has(labelling) else []
    known = None
    if estimating is not None and not store.has(estimating):
        absent.append(estimating)
        if len(absent) == 1:
            labelled = store.load(labelling)
            absent = absent if labelled is not None else [labelling, estimating]
            known = None if labelled is None else labelled.rows
    return Trial(tuple(absent), known)


def _why_absent(source: Source) -> str | None:
    try:
        load(source)
    except DataSetError as error:
        return str(error)
    return None
