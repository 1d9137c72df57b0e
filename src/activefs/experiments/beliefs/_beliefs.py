"""Measure the beliefs, and write everything that comes out of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from activefs.exceptions import InvalidInputError
from activefs.experiments.beliefs._folds import constants_for
from activefs.experiments.beliefs._items import BeliefItem, BeliefShard, shard_of
from activefs.experiments.leaderboard import LeaderboardSettings, choices, find_sets, runs_of
from activefs.runs import Begin, Source, Store, Work, run, write_files

KS = (5, 10)
COUNTS = (25, 50, 100, 150, 200, 300, 500)
_CHOICE = "assisted"
_SHARE = 0.8
"""Of a small table at most this share is labelled, as on the leaderboard."""


@dataclass(frozen=True)
class BeliefsSettings:
    """How much is measured.

    Attributes
    ----------
    sources : tuple of Source
        The data sets, of those of the leaderboard.
    runs, seed : int
        Runs on each, seed of everything random.
    shipped : bool
        Whether the constants are those that everybody gets, instead of those chosen on other tables.

    Examples
    --------
    >>> settings = BeliefsSettings(find_sets("WINE0,SONAR"), runs=2)
    >>> [(item.item.source.name, item.ks, item.counts) for item in settings.items()[::2]]
    [('WINE0', (5,), (25, 50, 100)), ('SONAR', (5, 10), (25, 50, 100, 150))]
    """

    sources: tuple[Source, ...] = field(default_factory=find_sets)
    runs: int = 3
    seed: int = 0
    shipped: bool = False

    def __post_init__(self) -> None:
        if self.runs < 2:
            raise InvalidInputError(f"runs must be at least 2 for a spread, got {self.runs}")

    def items(self) -> list[BeliefItem]:
        """What is wanted: the runs of the leaderboard's choice "assisted"."""
        board = LeaderboardSettings(self.sources, choices(_CHOICE), runs=self.runs, seed=self.seed)
        wanted = []
        for source in self.sources:
            ks = tuple(k for k in board.ks_of(source) if k in KS)
            # Longer on public tables than on the leaderboard; what comes first is the same.
            budget = min(COUNTS[-1], int(_SHARE * source.rows))
            counts = tuple(n for n in COUNTS if n <= budget)
            constants = constants_for(source, shipped=self.shipped)
            if ks:
                runs = [replace(item, budget=budget) for item in runs_of(board, source, board.lines[0], ks[0])]
                wanted += [BeliefItem(item, ks, counts, constants) for item in runs]
        return wanted


@dataclass(frozen=True)
class BeliefsRun:
    """What was done and written.

    Attributes
    ----------
    work : Work
        What had to be done.
    files : tuple of Path
        Report, table and picture.
    """

    work: Work[BeliefShard]
    files: tuple[Path, ...]


def measure_beliefs(settings: BeliefsSettings, out: Path, *, jobs: int, begin: Begin) -> BeliefsRun:
    """Compute the work items that are missing, then write report, table and picture.

    Labels that the leaderboard kept in the same folder are used; others are chosen again.

    Parameters
    ----------
    settings : BeliefsSettings
        What to measure.
    out : Path
        Folder for everything; finished work items are kept in ``items`` below it.
    jobs : int
        Processes on this machine.
    begin : callable
        Told the work before it starts, gives back the function to call as it proceeds.
    """
    # Drawing is imported here: workers that only compute need not load it.
    from activefs.experiments.beliefs._picture import picture
    from activefs.experiments.beliefs._report import report, table
    from activefs.experiments.beliefs._summary import TableBeliefs

    store = Store(out)
    items = settings.items()
    if not items:
        raise InvalidInputError("there is nothing to run: name at least one data set with more than ten features")
    missing = [shard_of(item, store) for item in items if not store.has(item)]
    work = Work(missing, len(items), len(missing))
    run(work, store, jobs=jobs, advance=begin(work))
    by_set: dict[str, list[BeliefItem]] = {}
    for item in items:
        by_set.setdefault(item.item.source.name, []).append(item)
    found = [TableBeliefs.of(name, some[0].counts, [store.read(i) for i in some]) for name, some in by_set.items()]
    contents = {
        out / "beliefs.md": report(found, settings).encode(),
        out / "beliefs.csv": table(found).encode(),
        out / "beliefs.svg": picture(found),
    }
    return BeliefsRun(work, write_files(contents.items(), store))
