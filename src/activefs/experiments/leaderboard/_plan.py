"""Which runs are wanted, and what of them is missing."""

from __future__ import annotations

from dataclasses import replace

from activefs.exceptions import DataSetError, InvalidInputError
from activefs.experiments.leaderboard._choices import is_assisted_too
from activefs.experiments.leaderboard._items import Estimation, Labelling
from activefs.experiments.leaderboard._settings import KS, LeaderboardSettings
from activefs.experiments.leaderboard._shard import LeaderboardShard
from activefs.runs import Line, Source, Store, Work, WorkItem, load


def runs_of(settings: LeaderboardSettings, source: Source, line: Line, k: int) -> list[WorkItem]:
    """All runs of a choice for a k; if its rows do not depend on k, they are the same for all k."""
    ks = (k,) if line.needs_k else replace(settings, ks=tuple(sorted({*KS, *settings.ks}))).ks_of(source)
    budget = settings.budget_of(source)
    return [WorkItem(source, line, ks, run, budget, settings.seed) for run in range(settings.runs)]


def parts_of(settings: LeaderboardSettings, item: WorkItem) -> tuple[Labelling, Estimation | None]:
    """What a run consists of: labels, and estimates unless the choice goes without them."""
    estimation = Estimation(item, settings.measured_of(item.source)) if is_assisted_too(item.line) else None
    return Labelling(item), estimation


def plan_work(
    settings: LeaderboardSettings, store: Store, *, here: bool
) -> tuple[LeaderboardSettings, Work[LeaderboardShard]]:
    """Find out what is missing; data sets that cannot be had are left out of the settings that come back.

    Parameters
    ----------
    settings : LeaderboardSettings
        What is wanted.
    store : Store
        What is there.
    here : bool
        Whether the work is done on this machine, so that data sets must be here.
    """
    kept: list[Source] = []
    notes: list[str] = []
    shards: list[LeaderboardShard] = []
    wanted = missing = 0
    for source in settings.sources:
        ks = settings.ks_of(source)
        if too_large := [k for k in settings.ks if k not in ks]:
            which = ", ".join(map(str, too_large))
            notes.append(f"{source.name} has {source.features} features, less than twice k={which}: left out")
        items = dict.fromkeys(i for line in settings.lines for k in ks for i in runs_of(settings, source, line, k))
        some = [shard for item in items if (shard := _missing(settings, item, store)).items]
        if not items or (some and here and (reason := _why_absent(source))):
            if items:
                notes.append(f"{source.name} is left out: {reason}")
            continue
        kept.append(source)
        wanted += sum(1 + is_assisted_too(item.line) for item in items)
        missing += sum(len(shard.items) for shard in some)
        shards += some
    if not kept:
        raise InvalidInputError(f"there is nothing to run: {'; '.join(notes)}")
    return replace(settings, sources=tuple(kept)), Work(shards, wanted, missing, notes)


def _missing(settings: LeaderboardSettings, item: WorkItem, store: Store) -> LeaderboardShard:
    labelling, estimation = parts_of(settings, item)
    absent: list[Labelling | Estimation] = [labelling] if not store.has(labelling) else []
    known = None
    if estimation is not None and not store.has(estimation):
        absent.append(estimation)
        if len(absent) == 1:
            labelled = store.load(labelling)
            absent = absent if labelled is not None else [labelling, estimation]
            known = None if labelled is None else labelled.rows
    return LeaderboardShard(tuple(absent), known)


def _why_absent(source: Source) -> str | None:
    try:
        load(source)
    except DataSetError as error:
        return str(error)
    return None
