"""Run plans and write everything that comes out of them."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

from activefs.exceptions import ActiveFSError
from activefs.experiments.selection._curves import Curves
from activefs.experiments.selection._plans import PLANS, Plan, Settings
from activefs.experiments.selection._runner import plan_work
from activefs.runs import Begin, Store, Task, Work, cannot_write, run, write_whole


@dataclass(frozen=True)
class Outcome:
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

    work: Work[Task]
    files: tuple[Path, ...]
    pictures: tuple[Path, ...]
    verdicts: dict[str, int]


def reproduce(
    plans: list[Plan], settings: Settings, out: Path, *, jobs: int, scheduler: str | None = None, begin: Begin
) -> Outcome:
    """Compute the pieces that are missing, then write tables, pictures and the report.

    Parameters
    ----------
    plans : list of Plan
        What to run.
    settings : Settings
        How much of it.
    out : Path
        Folder for everything; pieces are kept in ``pieces`` below it.
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

    store = Store(out / "pieces")
    plans = [plan.judged_by(settings.estimator) for plan in plans]
    work = plan_work(plans, settings, store)
    run(work, store, jobs=jobs, scheduler=scheduler, advance=begin(work))
    # Tables and report cover whatever this folder has in full for these settings, not just what was asked for now.
    names = {plan.name for plan in plans}
    known = [plan.judged_by(settings.estimator) for plan in PLANS.values() if plan.name not in names]
    others = [plan for plan in known if not plan_work([plan], settings, store).missing]
    curves = Curves([*plans, *others], settings, store)
    claims = check_claims(curves)
    path = out
    try:
        buffer = io.BytesIO()
        pq.write_table(curves.table(), buffer, compression="zstd")
        files = []
        for path, content in (
            (out / "summary.csv", curves.summary().encode()),
            (out / "curves.parquet", buffer.getvalue()),
            (out / "report.md", report(curves, claims).encode()),
        ):
            write_whole(path, content)
            files.append(path)
        pictures = []
        for plan in plans:
            for path, content in draw_plan(plan, curves, out):
                path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(path, content)
                pictures.append(path)
    except OSError as error:
        raise ActiveFSError(
            f"{cannot_write(path, error)} The finished pieces are kept in {store.folder}: then run the same command "
            "again, and only tables and pictures are made anew."
        ) from error
    return Outcome(work, tuple(files), tuple(pictures), verdicts(claims))
