"""The whole job behind `activefs reproduce single-feature`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from activefs.experiments.single_feature._definitions import DEFINITIONS, PAPER, RELEASED
from activefs.experiments.single_feature._experiments import GROUPS, Experiment
from activefs.experiments.single_feature._measure import Measured
from activefs.experiments.single_feature._run import Results, run_experiments
from activefs.experiments.single_feature._settings import SingleFeatureSettings
from activefs.runs import Begin, SingleShard, Store, Work, silent, write_files


@dataclass(frozen=True)
class SingleFeatureRun:
    """What was done, found and written.

    Attributes
    ----------
    work : Work
        What had to be done.
    results : dict of dict of Group
        By name of the definition, then by name of the set of experiments.
    files : tuple of Path
        Summaries, tables, pictures and report.
    """

    work: Work[SingleShard[Measured]]
    results: Results
    files: tuple[Path, ...]


def reproduce(
    experiments: list[Experiment],
    out: Path,
    settings: SingleFeatureSettings | None = None,
    *,
    jobs: int = 1,
    as_released: bool = False,
    begin: Begin = silent,
) -> SingleFeatureRun:
    """Run the experiments and write summary, tables, pictures and report into a folder.

    Parameters
    ----------
    experiments : list of Experiment
        From `uniform_experiments`, `fixed_experiments`, `adult_experiments`, or your own.
    out : Path
        Folder for everything; finished work items are kept in ``items`` below it, so that an interrupted run is
        taken up again.
    settings : SingleFeatureSettings, optional
        Repetitions, seed and budgets; by default those of the paper.
    jobs : int, default 1
        Processes on this machine; the numbers do not depend on it.
    as_released : bool, default False
        Write the main files for the released code's definition instead of the paper's.
    begin : callable, optional
        Told the work before it starts, gives back the function to call as it proceeds.

    Examples
    --------
    >>> import tempfile
    >>> from activefs.experiments.single_feature import uniform_experiments
    >>> settings = SingleFeatureSettings(repetitions=100)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     done = reproduce(uniform_experiments()[:1], Path(folder), settings)
    ...     sorted(path.name for path in Path(folder).glob("*.csv"))
    ['summary-as-released.csv', 'summary.csv']
    """
    store = Store(out)
    work, results = run_experiments(experiments, settings or SingleFeatureSettings(), store, jobs=jobs, begin=begin)
    _clear(out)
    return SingleFeatureRun(work, results, write_files(_contents(results, out, as_released), store))


def _contents(results: Results, out: Path, as_released: bool) -> Iterator[tuple[Path, bytes]]:
    # Drawing is imported here: workers that only compute need not load it.
    from activefs.experiments.single_feature._pictures import pictures
    from activefs.experiments.single_feature._report import report
    from activefs.experiments.single_feature._summary import summary
    from activefs.experiments.single_feature._tables import tables

    main, other = (RELEASED, PAPER) if as_released else (PAPER, RELEASED)
    yield out / "summary.csv", summary(results[main.name].values()).encode()
    yield out / f"summary-{other.name}.csv", summary(results[other.name].values()).encode()
    yield from tables(results[main.name], out / "tables")
    yield from pictures(results[main.name], out / "pictures")
    yield out / "report.md", report(results, main).encode()


def _clear(out: Path) -> None:
    """Remove what an earlier run with other settings wrote, lest old and new tables stand together."""
    found = [out / "summary.csv", *(out / f"summary-{d.name}.csv" for d in DEFINITIONS)]
    for name in GROUPS:
        found += [*out.glob(f"tables/{name}-[0-9]*.*"), out / "pictures" / f"{name}.png"]
    for path in found:
        path.unlink(missing_ok=True)
