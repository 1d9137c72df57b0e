"""The report: the tables that matter, the targets, and everything set by set."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence

from activefs import __version__
from activefs.experiments.leaderboard import _sets
from activefs.experiments.leaderboard._board import Board
from activefs.experiments.leaderboard._by_set import (
    gaps_by_set,
    labels_by_set,
    relative_by_set,
    reliability_section,
    speed_section,
    traps_section,
)
from activefs.experiments.leaderboard._by_table import tables_section
from activefs.experiments.leaderboard._groups import constants, groups_of, headline
from activefs.experiments.leaderboard._main_table import beside_table, caption, main_table
from activefs.experiments.leaderboard._settings import BETWEEN, TABLE_COUNTS, TABLE_K
from activefs.experiments.leaderboard._targets import targets
from activefs.runs import markdown_table


def report(board: Board, notes: Sequence[str]) -> str:
    """Write the report in Markdown.

    Parameters
    ----------
    board : Board
        The results.
    notes : sequence of str
        What was left out, and why.
    """
    parts = [
        "# Leaderboard: which choice of rows, with which estimate, needs the fewest labels",
        "",
        *main_table(board),
        "",
        caption(board),
        "",
        "![Mean gap against labels: assisted selection beside AFS and random labelling](leaderboard.png)",
        "",
        *beside_table(board),
        *_reading(board),
        *_targets(board),
        *tables_section(board),
        *relative_by_set(board),
        *gaps_by_set(board),
        *labels_by_set(board),
        *traps_section(board),
        *reliability_section(board),
        *speed_section(board),
        *_tuning(board),
        *_making(board, notes),
    ]
    return "\n".join(parts) + "\n"


def _reading(board: Board) -> list[str]:
    between, counts = (", ".join(map(str, some)) for some in (BETWEEN, TABLE_COUNTS))
    tables = [_sets.is_table(source) for source in board.settings.sources]
    pictures = []
    if not all(tables):
        pictures += ["![Gap against labels on every data set](datasets.png)", ""]
    if any(tables):
        pictures += ["![Gap against labels on every public table](tables.png)", ""]
    return [
        "## How to read it",
        "",
        "A choice says which row is labelled next, an estimate says which features look best. Plug-in: by the labelled "
        "rows alone. Assisted: a model learns from the labels and completes the table, and features are judged by all "
        "rows. The labels of a run serve both estimates, and all k unless the choice depends on k, as that of AFS "
        "does. AFS + plug-in is run with both floors of rho, AFS + assisted with the default one ('labelled') only.",
        "",
        "The gap is the sum of the true conditional entropies of the chosen features minus the sum over the true best "
        "k, in nats; 0 is perfect. Where every set counts alike, it is divided by the gap of features that are chosen "
        "blindly: k times the mean conditional entropy minus the sum of the best k. Gaps, not ratios, are averaged "
        "over sets. Intervals of ratios are from runs drawn again with replacement (2,000 times, the better floor "
        "kept), those in `leaderboard.csv` are Student's t. Of a table with few rows at most 80% are labelled. 'Labels "
        "to reach AFS's gap' is the first measured label count whose mean gap is at most the smaller gap of AFS's two "
        "floors at the last one.",
        "",
        f"Public tables are measured at {counts} labels, with k up to {TABLE_K} and below the number of columns. As it "
        "is: columns with more than ten values in ten bins. Shuffled: the codes of every column renamed at random "
        f"after that. On all other sets, gaps at {between} labels are in the tables but not in the means, and k above "
        "half of the features is left out.",
        "",
        "![Gap of every choice and estimate relative to AFS](relative.png)",
        "",
        *pictures,
    ]


def _targets(board: Board) -> list[str]:
    found = targets(board)
    if not found:
        return []
    rows = [
        [t.what, t.wanted, t.measured, "**met**" if not t.missed_by else f"**missed** by {t.missed_by}"] for t in found
    ]
    return [
        *("## Targets of assisted + assisted", ""),
        *markdown_table(["target", "wanted", "measured", "verdict"], rows),
        "",
        "The time of a question on a million rows is measured by `make bench`, not here.",
        "",
    ]


def _tuning(board: Board) -> list[str]:
    groups = [headline(board), *groups_of(board)]
    rows = [[group.title, ", ".join(names := group.run(board)), constants(names)] for group in groups]
    return [
        "## Which sets chose the constants",
        "",
        "Constants of the assisted estimate and choice were set by hand, by looking at some of the sets and at made-up "
        f"tables like NOISY and WIDE. The first table and picture are of {headline(board).title}; untouched sets may "
        "still resemble others, as MNIST01 does MNIST35.",
        "",
        *markdown_table(["sets", "which", "constants"], rows),
        "",
    ]


def _making(board: Board, notes: Sequence[str]) -> list[str]:
    settings = board.settings
    strategies = ",".join(dict.fromkeys(line.strategy for line in settings.lines))
    command = (
        f"activefs leaderboard --strategies {strategies} --datasets {_sets.shortest(settings.datasets)} "
        f"--k {','.join(map(str, settings.ks))} --runs {settings.runs} --budget {settings.budget} "
        f"--seed {settings.seed} --out DIR"
    )
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return [
        *("## How it was made", "", "```sh", command, "```", ""),
        f"activefs {__version__}, {machine}; {board.hours:.1f} hours of one core for all runs and estimates, without "
        "pictures. Every run has a seed of its own, for the model too. Numbers: `leaderboard.csv`, `uncertainty.csv`, "
        "`speed.csv`.",
        "",
        *(f"- {note}." for note in notes),
    ]
