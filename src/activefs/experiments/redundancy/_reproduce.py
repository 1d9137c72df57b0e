"""What redundancy-aware selection buys: a classifier on the chosen columns, at the same budget of labels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from activefs.exceptions import InvalidInputError
from activefs.experiments.redundancy._items import RuleItem, RuleQuality
from activefs.runs import Begin, SingleShard, Source, Store, Work, plan_items, run, write_files

RULES = ("none", "mrmr", "jmi", "cmim")


@dataclass(frozen=True)
class RedundancyRun:
    """What was done and written.

    Attributes
    ----------
    work : Work
        What had to be done.
    files : tuple of Path
        Table, report and picture.
    """

    work: Work[SingleShard[RuleQuality]]
    files: tuple[Path, ...]


def reproduce_redundancy(
    datasets: Iterable[str], k: int, budget: int, runs: int, out: Path, *, jobs: int, begin: Begin
) -> RedundancyRun:
    """Compute the work items that are missing, then write summary, picture and report.

    Parameters
    ----------
    datasets : iterable of str
        Names of data sets.
    k, budget, runs : int
        Features wanted, labels, runs of every rule.
    out : Path
        Folder for everything; finished work items are kept in ``items`` below it.
    jobs : int
        Processes on this machine.
    begin : callable
        Told the work before it starts, gives back the function to call as it proceeds.
    """
    # Drawing is imported here: workers that only compute need not load it.
    from activefs.experiments.redundancy._report import RuleTable, picture, report, summary

    sources = [Source.named(name) for name in datasets]
    for source in sources:
        if budget > source.rows or k > source.features:
            raise InvalidInputError(f"{source.name} has {source.rows} rows and {source.features} features")
    if runs < 2:
        raise InvalidInputError(f"runs must be at least 2 for a spread, got {runs}")
    store = Store(out)
    items = [RuleItem(source, rule, n, k, budget) for source in sources for rule in RULES for n in range(runs)]
    work = plan_items(items, store)
    run(work, store, jobs=jobs, advance=begin(work))
    table = RuleTable.of({item: store.read(item) for item in items})
    contents = {
        out / "report.md": report(table).encode(),
        out / "summary.csv": summary(table).encode(),
        out / "accuracy.svg": picture(table),
    }
    return RedundancyRun(work, write_files(contents.items(), store))
