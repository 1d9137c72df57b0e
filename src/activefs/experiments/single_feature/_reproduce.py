"""The whole job behind `activefs reproduce single-feature`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from activefs.experiments.single_feature._definitions import DEFINITIONS, PAPER, RELEASED
from activefs.experiments.single_feature._experiments import GROUPS, Experiment
from activefs.experiments.single_feature._pictures import write_pictures
from activefs.experiments.single_feature._report import write_report
from activefs.experiments.single_feature._run import Results, Settings, run
from activefs.experiments.single_feature._store import Store
from activefs.experiments.single_feature._summary import write_summary
from activefs.experiments.single_feature._tables import write_tables


def steps(experiments: list[Experiment]) -> int:
    """Return how many times `reproduce` will call `advance`.

    Examples
    --------
    >>> from activefs.experiments.single_feature import uniform_experiments
    >>> steps(uniform_experiments())
    75
    """
    return len(experiments) * len(DEFINITIONS)


def reproduce(
    experiments: list[Experiment],
    out: Path,
    settings: Settings | None = None,
    *,
    jobs: int = 1,
    as_released: bool = False,
    advance: Callable[[], None] = lambda: None,
) -> Results:
    """Run the experiments and write summary, tables, pictures and report into a folder.

    Parameters
    ----------
    experiments : list of Experiment
        From `uniform_experiments`, `fixed_experiments`, `adult_experiments`, or your own.
    out : Path
        Folder for the results; an interrupted run is taken up again from what it has kept there.
    settings : Settings, optional
        Repetitions, seed and budgets; by default those of the paper.
    jobs : int, default 1
        Threads; the numbers do not depend on it.
    as_released : bool, default False
        Write the main files for the released code's definition instead of the paper's.
    advance : callable, optional
        Called after every step.

    Examples
    --------
    >>> import tempfile
    >>> from activefs.experiments.single_feature import uniform_experiments
    >>> settings = Settings(repetitions=100)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     results = reproduce(uniform_experiments()[:1], Path(folder), settings)
    ...     sorted(path.name for path in Path(folder).glob("*.csv"))
    ['summary-as-released.csv', 'summary.csv']
    """
    store = Store(out)
    given = settings or Settings()
    results = run(experiments, given, store, jobs, advance)
    main, other = (RELEASED, PAPER) if as_released else (PAPER, RELEASED)
    _clear(out)
    write_summary(results[main.name].values(), out / "summary.csv")
    write_summary(results[other.name].values(), out / f"summary-{other.name}.csv")
    write_tables(results[main.name], out / "tables")
    write_pictures(results[main.name], out / "pictures")
    write_report(results, main, out / "report.md")
    return results


def _clear(out: Path) -> None:
    """Remove what an earlier run with other settings wrote, lest old and new tables stand together."""
    found = [out / "summary.csv", *(out / f"summary-{d.name}.csv" for d in DEFINITIONS)]
    for name in GROUPS:
        found += [*out.glob(f"tables/{name}-[0-9]*.*"), out / "pictures" / f"{name}.png"]
    for path in found:
        path.unlink(missing_ok=True)
