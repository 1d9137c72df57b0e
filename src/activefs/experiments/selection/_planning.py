"""From plans to work: what is missing is computed, what is there is left alone."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from activefs.exceptions import InvalidInputError
from activefs.experiments.selection._plans import PAPER_KS, Plan, SelectionSettings
from activefs.runs import Line, RunShard, Store, Work, WorkItem


def cells(plan: Plan, settings: SelectionSettings) -> list[tuple[str, int]]:
    """Pairs (data set, k) of a plan; k beyond the number of features is left out."""
    wanted = _ks_of(plan, settings)
    return [(source.name, k) for source in settings.sources for k in wanted if k <= source.features]


def _ks_of(plan: Plan, settings: SelectionSettings) -> tuple[int, ...]:
    # A k that the paper has for other plans only is not this plan's; one that it never has is anybody's.
    return tuple(k for k in settings.ks if k in plan.ks or k not in PAPER_KS)


def items_of(line: Line, dataset: str, k: int, settings: SelectionSettings) -> list[WorkItem]:
    """All runs of a line in a cell; if its rows do not depend on k, they are the same for all k."""
    source = next(source for source in settings.sources if source.name == dataset)
    ks = (k,) if line.needs_k else tuple(n for n in sorted({*PAPER_KS, *settings.ks}) if n <= source.features)
    return [WorkItem(source, line, ks, run, settings.budget, settings.seed) for run in range(settings.runs)]


def plan_work(plans: Iterable[Plan], settings: SelectionSettings, store: Store) -> Work[RunShard]:
    """Find out which work items are missing and group them into shards."""
    check(settings)
    wanted: dict[WorkItem, None] = {}
    notes: dict[str, None] = {}
    for plan in plans:
        inside = cells(plan, settings)
        for name in settings.datasets:
            if left_out := [k for k in _ks_of(plan, settings) if (name, k) not in inside]:
                notes[f"{name} has fewer features than k={', '.join(map(str, left_out))}: left out"] = None
        for name, k in inside:
            for line in plan.lines:
                wanted.update(dict.fromkeys(items_of(line, name, k, settings)))
    missing = [item for item in wanted if not store.has(item)]
    return Work(_grouped(missing, set(wanted) - set(missing), store), len(wanted), len(missing), list(notes))


def check(settings: SelectionSettings) -> None:
    """Refuse settings that cannot be run."""
    if not settings.sources or not settings.ks:
        raise InvalidInputError("there is nothing to run: name at least one data set and one k")
    if len(set(settings.datasets)) < len(settings.sources):
        raise InvalidInputError(f"two data sets have the same name: {', '.join(settings.datasets)}; rename a file")
    for source in settings.sources:
        if settings.budget > source.rows:
            raise InvalidInputError(
                f"a budget of {settings.budget} labels is more than the {source.rows} rows of {source.name}"
            )
    for what, value in (("runs", settings.runs), ("budget", settings.budget), ("k", min(settings.ks))):
        if value < 1:
            raise InvalidInputError(f"{what} must be at least 1, got {value}")


def _grouped(missing: list[WorkItem], there: set[WorkItem], store: Store) -> list[RunShard]:
    """One shard per item, but AFS runs that differ in the safeguard only go together."""
    order = sorted(missing, key=lambda i: (i.source.name, i.run, i.ks, i.line.family, _patience(i)))
    finished = {_run_key(i): i for i in sorted(there, key=_patience, reverse=True) if i.line.is_afs}
    shards = []
    for key, group in groupby(order, key=_run_key):
        items = tuple(group)
        longer = finished.get(key)
        known = None
        if longer is not None and _patience(longer) <= _patience(items[0]):
            result = store.load(longer)
            known = None if result is None else result.rows
        shards.append(RunShard(items, known))
    return shards


def _patience(item: WorkItem) -> float:
    """Sorts runs that fire later, or never, first."""
    return -float("inf") if item.line.safeguard is None else -item.line.safeguard


def _run_key(item: WorkItem) -> tuple[object, ...]:
    # Only AFS has a safeguard: any other line is alone in its family.
    return (item.source, item.line.family, item.ks, item.run, item.budget, item.seed)
