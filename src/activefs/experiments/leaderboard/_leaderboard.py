"""Run the leaderboard and write everything that comes out of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from activefs.experiments.leaderboard._board import Board
from activefs.experiments.leaderboard._csv import leaderboard_csv, speed_csv, uncertainty_csv
from activefs.experiments.leaderboard._plan import plan_work
from activefs.experiments.leaderboard._readme import check_marks, with_leaderboard
from activefs.experiments.leaderboard._settings import LeaderboardSettings
from activefs.experiments.leaderboard._shard import LeaderboardShard
from activefs.runs import Begin, Store, Work, run, write_files


@dataclass(frozen=True)
class LeaderboardRun:
    """What was done and written.

    Attributes
    ----------
    work : Work
        What had to be done.
    files : tuple of Path
        Tables, report and pictures.
    """

    work: Work[LeaderboardShard]
    files: tuple[Path, ...]


def leaderboard(
    settings: LeaderboardSettings,
    out: Path,
    *,
    jobs: int,
    scheduler: str | None = None,
    readme: Path | None = None,
    begin: Begin,
) -> LeaderboardRun:
    """Compute the work items that are missing, then write tables, pictures and the report.

    Parameters
    ----------
    settings : LeaderboardSettings
        What to run.
    out : Path
        Folder for everything; finished work items are kept in ``items`` below it.
    jobs : int
        Processes on this machine.
    scheduler : str, optional
        Address of a dask scheduler, to run there instead.
    readme : Path, optional
        A Markdown file that shall show the short table and the picture, between marks that it has.
    begin : callable
        Told the work before it starts, gives back the function to call as it proceeds.
    """
    # Drawing is imported here: workers that only compute need not load it.
    from activefs.experiments.leaderboard import _pictures as pictures
    from activefs.experiments.leaderboard._main_table import short_table
    from activefs.experiments.leaderboard._report import report

    if readme is not None:
        check_marks(readme)  # better told before the work than after it
    store = Store(out)
    settings, work = plan_work(settings, store, here=scheduler is None)
    run(work, store, jobs=jobs, scheduler=scheduler, advance=begin(work))
    board = Board(settings, store)
    contents: dict[str, bytes | None] = {
        "leaderboard.csv": leaderboard_csv(board).encode(),
        "uncertainty.csv": uncertainty_csv(board).encode(),
        "speed.csv": speed_csv(board).encode(),
        "table.md": short_table(board).encode(),
        "report.md": report(board, work.notes).encode(),
        "leaderboard.png": pictures.headline_picture(board),
        "relative.png": pictures.relative_picture(board),
        "datasets.png": pictures.datasets_picture(board),
        "tables.png": pictures.tables_picture(board),
        "expected.png": pictures.expected_picture(board),
    }
    written = {out / name: content for name, content in contents.items() if content is not None}
    if readme is not None:
        written[readme] = with_leaderboard(readme, short_table(board), out).encode()
    return LeaderboardRun(work, write_files(written.items(), store))
