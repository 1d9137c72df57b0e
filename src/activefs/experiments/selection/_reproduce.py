"""Run plans and write everything that comes out of them."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

from activefs.experiments.selection._curves import Curves
from activefs.experiments.selection._planning import plan_work
from activefs.experiments.selection._plans import PLANS, Plan, SelectionSettings
from activefs.runs import Begin, RunShard, Store, Work, run, write_files


@dataclass(frozen=True)
class Reproduction:
    """What was written.

    Attributes
    ----------
    work : Work
        What had to be done.
    files : tuple of Path
        Tables and report.
    pictures : tuple of Path
        One per plan, data set and k, and the overviews.
    verdicts : dict of str to int
        How many claims of the paper were confirmed, and so on.
    """

    work: Work[RunShard]
    files: tuple[Path, ...]
    pictures: tuple[Path, ...]
    verdicts: dict[str, int]


def reproduce(
    plans: list[Plan], settings: SelectionSettings, out: Path, *, jobs: int, scheduler: str | None = None, begin: Begin
) -> Reproduction:
    """Compute the work items that are missing, then write tables, pictures and the report.

    Parameters
    ----------
    plans : list of Plan
        What to run.
    settings : SelectionSettings
        How much of it.
    out : Path
        Folder for everything; finished work items are kept in ``items`` below it.
    jobs : int
        Processes on this machine.
    scheduler : str, optional
        Address of a dask scheduler, to run there instead.
    begin : callable
        Told the work before it starts, gives back the function to call as it proceeds.
    """
    # Drawing is imported here: workers that only compute need not load it.
    from activefs.experiments.selection._claims import check_claims, verdicts
    from activefs.experiments.selection._figures import draw_plan
    from activefs.experiments.selection._report import report

    store = Store(out)
    plans = [plan.judged_by(settings.estimator) for plan in plans]
    work = plan_work(plans, settings, store)
    run(work, store, jobs=jobs, scheduler=scheduler, advance=begin(work))
    # Tables and report cover whatever this folder has in full for these settings, not just what was asked for now.
    names = {plan.name for plan in plans}
    known = [plan.judged_by(settings.estimator) for plan in PLANS.values() if plan.name not in names]
    others = [plan for plan in known if not plan_work([plan], settings, store).missing]
    curves = Curves([*plans, *others], settings, store)
    claims = check_claims(curves)
    buffer = io.BytesIO()
    pq.write_table(curves.table(), buffer, compression="zstd")
    contents = {
        out / "summary.csv": curves.summary().encode(),
        out / "curves.parquet": buffer.getvalue(),
        out / "report.md": report(curves, claims).encode(),
    }
    files = write_files(contents.items(), store)
    pictures = write_files((drawn for plan in plans for drawn in draw_plan(plan, curves, out)), store)
    return Reproduction(work, files, pictures, verdicts(claims))
