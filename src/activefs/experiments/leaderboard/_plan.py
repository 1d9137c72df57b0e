"""Which runs are wanted, and what of them is missing."""

from __future__ import annotations

from dataclasses import replace

from activefs.exceptions import DataSetError, InvalidInputError
from activefs.experiments.leaderboard._choices import is_assisted_too
from activefs.experiments.leaderboard._items import Estimation, Labelling
from activefs.experiments.leaderboard._sets import is_table, shortest
from activefs.experiments.leaderboard._settings import KS, TABLE_K, LeaderboardSettings
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
    notes = too_large(settings)
    absent: dict[str, list[str]] = {}
    shards: list[LeaderboardShard] = []
    wanted = missing = 0
    for source in settings.sources:
        ks = settings.ks_of(source)
        items = dict.fromkeys(i for line in settings.lines for k in ks for i in runs_of(settings, source, line, k))
        some = [shard for item in items if (shard := _missing(settings, item, store)).items]
        if some and here and (reason := _why_absent(source)):
            absent.setdefault(reason, []).append(source.name)
            continue
        if not items:
            continue
        kept.append(source)
        wanted += sum(1 + is_assisted_too(item.line) for item in items)
        missing += sum(len(shard.items) for shard in some)
        shards += some
    for reason, names in absent.items():
        notes.append(f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} left out: {reason}")
    if not kept:
        raise InvalidInputError(f"there is nothing to run: {'; '.join(notes)}")
    return replace(settings, sources=tuple(kept)), Work(shards, wanted, missing, notes)


def too_large(settings: LeaderboardSettings) -> list[str]:
    """Say which k are left out, and why: set by set, and once for all public tables."""
    notes = []
    tables: dict[int, list[str]] = {}
    for source in settings.sources:
        left_out = [k for k in settings.ks if k not in settings.ks_of(source)]
        if is_table(source):
            for k in left_out:
                tables.setdefault(k, []).append(source.name)
        elif left_out:
            which = ", ".join(map(str, left_out))
            notes.append(f"{source.name} has {source.features} features, less than twice k={which}: left out")
    for k, names in tables.items():
        which = ", ".join(shortest(names).split(","))
        notes.append(f"k={k} is left out on {which}: public tables have k up to {TABLE_K}, and below their columns")
    return notes


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
