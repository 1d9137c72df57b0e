"""The report and the table behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from activefs.experiments.beliefs._before import WIDTHS_BEFORE
from activefs.experiments.beliefs._folds import FIRST
from activefs.experiments.beliefs._summary import (
    BIAS_AT,
    TableBeliefs,
    bin_shares,
    gap_ratio,
    mean_correlations,
    relative_bias,
)
from activefs.experiments.leaderboard import TRAPS, shortest
from activefs.runs import csv_text, markdown_table

if TYPE_CHECKING:
    from activefs.experiments.beliefs._beliefs import BeliefsSettings

_TRAPS = tuple(source.name for source in TRAPS)

_PICTURE = "![Probability to be among the best k, said and true; share within 95% bounds on every table](beliefs.svg)"


def report(summaries: Sequence[TableBeliefs], settings: BeliefsSettings) -> str:
    """Write the report in Markdown: tables first, traps apart, since those are made up."""
    tables = [s for s in summaries if s.name not in _TRAPS]
    traps = [s for s in summaries if s.name in _TRAPS]
    parts = [_head(settings)]
    if tables:
        parts += ["## Targets", *_targets(tables), _PICTURE]
        parts += ["## By number of labels", "\n".join(_by_count(tables))]
        parts += ["## By table", "\n".join(_by_table(tables))]
    if traps:
        parts += [
            "## Traps",
            "Made-up tables; no constant of these beliefs was chosen on them.",
            "\n".join(_by_table(traps)),
        ]
    more = " --shipped" if settings.shipped else ""
    names = shortest(source.name for source in settings.sources)
    parts.append(
        f"Made by `activefs reproduce beliefs --runs {settings.runs} --datasets {names}{more}`. `beliefs.csv` has "
        "the figures of every table."
    )
    return "\n\n".join(parts) + "\n"


def _head(settings: BeliefsSettings) -> str:
    if settings.shipped:
        judged = "The constants are those that everybody gets, and were chosen on these tables."
    else:
        judged = (
            "Constants that were chosen on one half of the tables are judged on the other half, but for two. The first "
            f"half is {', '.join(FIRST)}, public tables in both readings; the second half is all others "
            "but the traps, on which nothing was chosen. 47 other public tables helped to choose both, and are "
            "not judged here. The constants that everybody gets were chosen on all tables. The form of the formulas "
            "was found on all of them, too: how it does on tables that nobody has looked at is not measured here. "
            "The two: how much slower than 1 / sqrt(n) errors of comparisons fall (four powers were tried, the one was "
            "taken with which the ratio below depends least on the number of labels) and the factor 1.15 of the "
            "expected gap that goes with it were chosen on all tables judged here, so the ratio of gaps is not of "
            "tables left out."
        )
    return f"""# Do beliefs hold?

What the assisted estimate says about itself, beside the truth: labels as the strategy "assisted" chose them, k = 5
and 10, 25 to 500 labels (at most 80% of the rows), {settings.runs} runs per table. These statements are what the model
believes, not a guarantee.

{judged}"""


def _targets(tables: Sequence[TableBeliefs]) -> list[str]:
    coverage = np.array([s.coverage for s in tables])
    worst = min(tables, key=lambda s: s.coverage)
    known = [s for s in tables if s.name in WIDTHS_BEFORE]
    width, before = sum(s.width for s in known), sum(WIDTHS_BEFORE[s.name] for s in known)
    features, said, among = bin_shares(tables)
    correlation, by_labels, attainable, n_correlated = mean_correlations(tables)
    biases = [(n, *relative_bias(tables, n)) for n in BIAS_AT if any(n in s.bias for s in tables)]
    flickers = sum(s.flickers for s in tables)
    ratio, off = gap_ratio(tables), float(np.max(np.abs(said - among)))
    rows = [
        _row("95% bounds of the chosen features cover, mean of tables", "at least 93%", f"{coverage.mean():.1%}",
             coverage.mean() >= 0.93, f"standard deviation between tables {coverage.std(ddof=1):.1%}"
             if coverage.size > 1 else ""),
        _row("the same on every table", "at least 85%", f"{worst.coverage:.1%} ({worst.name})", worst.coverage >= 0.85,
             f"{int((coverage < 0.85).sum())} of {coverage.size} tables below"),
        *([_row("mean width, against before", "at most twice", f"{width / before:.2f} times", width <= 2 * before,
                f"{width / len(known):.3f} nats instead of {before / len(known):.3f}")] if known else []),
        *(_row(f"reported minus true mutual information at {n} labels", "within 10%", f"{together:+.1%}",
               abs(together) <= 0.1, f"mean over {size} tables of the share of each: {each:+.1%}")
          for n, together, each, size in biases),
        _row("expected gap divided by the true gap", "0.8 to 1.25", f"{ratio:.2f}", 0.8 <= ratio <= 1.25,
             "means over tables; single tables in the table below"),
        _row("rank correlation of both within a table, mean", "at least 0.6", f"{correlation:.2f}", correlation >= 0.6,
             f"{n_correlated} tables on which the gap changes; that of the gap with the number of labels alone is "
             f"{by_labels:.2f}, and since many gaps are equal (mostly 0), {attainable:.2f} is the most that anything "
             "could have that tells equal ones apart"),
        _row("probability to be among the true best k, said and true, largest difference of five bins", "at most 0.07",
             f"{off:.3f}", off <= 0.07, ""),
        _row("runs in which `informative` is taken back", "0", f"{flickers} of {sum(s.runs for s in tables)}",
             flickers == 0, ""),
    ]  # fmt: skip
    bins = [
        [f"{i / 5:.1f} to {(i + 1) / 5:.1f}", f"{n:.0f}", f"{a:.3f}", f"{b:.3f}"]
        for i, (n, a, b) in enumerate(zip(features, said, among, strict=True))
    ]
    return [
        "\n".join(markdown_table(["what", "wanted", "measured", "met", "remark"], rows)),
        "\n".join(markdown_table(["probability", "features", "said", "true"], bins)),
    ]


def _row(what: str, wanted: str, measured: str, met: object, remark: str) -> list[str]:
    return [what, wanted, measured, "yes" if met else "**no**", remark]


def _by_count(tables: Sequence[TableBeliefs]) -> list[str]:
    rows = []
    for n in sorted({n for s in tables for n in s.by_count}):
        found = np.array([s.by_count[n] for s in tables if n in s.by_count])
        covered, expected, gap = found.mean(axis=0)
        ratio = f"{expected / gap:.2f}" if gap > 0 else "-"
        rows.append([str(n), str(len(found)), f"{covered:.1%}", f"{expected:.4f}", f"{gap:.4f}", ratio])
    return markdown_table(["labels", "tables", "covered", "expected gap", "true gap", "ratio"], rows)


def _by_table(tables: Sequence[TableBeliefs]) -> list[str]:
    head = ["table", "runs", "covered", "width", "before", *(f"bias at {n}" for n in BIAS_AT),
            "expected gap", "true gap", "rank correlation", "attainable"]  # fmt: skip
    return markdown_table(head, [_cells(s) for s in tables])


def _cells(s: TableBeliefs) -> list[str]:
    before = f"{WIDTHS_BEFORE[s.name]:.3f}" if s.name in WIDTHS_BEFORE else "-"
    biases = [f"{s.bias[n][0] - s.bias[n][1]:+.3f} of {s.bias[n][1]:.3f}" if n in s.bias else "-" for n in BIAS_AT]
    correlations = ["-" if np.isnan(r) else f"{r:.2f}" for r in (s.correlation, s.attainable)]
    covered = f"{s.coverage:.1%} ± {s.spread:.1%}"
    return [s.name, str(s.runs), covered, f"{s.width:.3f}", before, *biases,
            f"{s.expected:.4f}", f"{s.gap:.4f}", *correlations]  # fmt: skip


def table(summaries: Sequence[TableBeliefs]) -> str:
    """CSV with a row per data set."""
    head = ["dataset", "runs", "coverage", "coverage_sd", "width", *(f"{what}_{n}" for n in BIAS_AT
            for what in ("reported", "true")), "expected_gap", "true_gap", "rank_correlation", "flickers",
            *(f"{what}_{b}" for b in range(5) for what in ("features", "said", "among"))]  # fmt: skip
    rows = []
    for s in summaries:
        biases = [x for n in BIAS_AT for x in s.bias.get(n, (float("nan"), float("nan")))]
        numbers = [s.coverage, s.spread, s.width, *biases, s.expected, s.gap, s.correlation]
        binned = [f"{x:.4f}" for x in s.bins.T.ravel()]
        rows.append([s.name, s.runs, *(f"{x:.4f}" for x in numbers), s.flickers, *binned])
    return csv_text(head, rows)
