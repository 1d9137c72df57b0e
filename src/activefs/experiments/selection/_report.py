"""The report: what was run, what became of the paper's claims, and the numbers behind them."""

from __future__ import annotations

import re

from activefs import __version__
from activefs.experiments.selection._claims import verdicts
from activefs.experiments.selection._curves import Curves
from activefs.experiments.selection._evidence import Claim
from activefs.experiments.selection._planning import cells
from activefs.experiments.selection._plans import PLANS, SelectionSettings
from activefs.runs import markdown_table


def report(curves: Curves, claims: list[Claim]) -> str:
    """Write the report in Markdown."""
    settings = curves.settings
    parts = [
        "# The paper's feature-selection experiments, rerun",
        "",
        f"    {_command(curves)}",
        "",
        f"{', '.join(plan.name for plan in curves.plans)}; {settings.runs} runs of {settings.budget} labels; "
        f"k = {', '.join(map(str, settings.ks))}; data sets {', '.join(settings.datasets)}; seed {settings.seed}; "
        f"activefs {__version__}. Numbers depend on the seed and the settings only, not on the machine or the number "
        "of processes.",
        "",
        "The gap is the sum of the true conditional entropies over the chosen k features minus the sum over the true "
        "best k, in nats, after every label; 0 is perfect. `curves.parquet` has its mean over runs and the 95% "
        "interval (Student's t) after every label, `summary.csv` at a few label counts.",
        "",
        *_about_estimate(settings),
        "AFS stands for the floor of rho that the authors' released code has ('labelled'); AFS (pool floor) for the "
        "one that the paper prints. Lines that differ in the safeguard only share their seeds, so that a run is the "
        "same up to the moment at which the safeguard fires; all other lines have seeds of their own.",
        "",
        *_claim_table(claims, settings.runs < 10),
        *_scores(curves),
        *_pictures(curves),
        *_details(claims),
    ]
    return "\n".join(parts) + "\n"


def _about_estimate(settings: SelectionSettings) -> list[str]:
    if settings.estimator == "plug-in":
        return []
    return [
        "**Not the paper's estimates:** features are judged by all rows, with a model that completes the labels "
        "(`--estimator assisted`); rows are chosen as in the paper. The gap is measured when the model learns "
        "again, and stays the same in between.",
        "",
    ]


def _command(curves: Curves) -> str:
    """The command that does it again."""
    settings, names = curves.settings, [plan.name for plan in curves.plans]
    what = "all" if set(names) == set(PLANS) else names[0]
    ks = ",".join(map(str, settings.ks))
    datasets = ",".join(settings.datasets)
    return (
        f"activefs reproduce {what} --datasets {datasets} --k {ks} --runs {settings.runs} --budget {settings.budget} "
        f"--seed {settings.seed} {_with_estimator(settings)}--out DIR"
    )


def _with_estimator(settings: SelectionSettings) -> str:
    return "" if settings.estimator == "plug-in" else f"--estimator {settings.estimator} "


_FEW = " With fewer than 10 runs hardly any difference is significant: the verdicts say little."


def _claim_table(claims: list[Claim], few: bool) -> list[str]:
    count = verdicts(claims)
    parts = [
        "## Table of claims",
        "",
        ", ".join(f"{number} {verdict}" for verdict, number in count.items()) + ".",
        "",
        "A line's score in a cell (data set, k) is its mean gap over all labels of a run, the area under its curve. "
        "'Significantly' means that the 95% interval of the difference of two lines' scores does not hold zero (Welch; "
        "paired for lines that share seeds). Among 28 cells, one or two such differences are expected by chance alone. "
        "Each rule, and the numbers of every cell, are listed at the end." + (_FEW if few else ""),
        "",
    ]
    rows = [
        [f"[{number}](#{_anchor(_title(number, claim))})", claim.sentence, f"**{claim.verdict}**", claim.result]
        for number, claim in enumerate(claims, start=1)
    ]
    return [*parts, *markdown_table(["#", "the paper says", "verdict", "what decides"], rows), ""]


def _scores(curves: Curves) -> list[str]:
    """Mean gap over all labels, one table per plan."""
    parts = ["## Mean gap over all labels", "", "The best of a row is in bold.", ""]
    for plan in curves.plans:
        inside = cells(plan, curves.settings)
        if not inside:
            continue
        names = [line.name for line in plan.lines]
        rows = []
        for dataset, k in inside:
            means = [float(curves[dataset, k, name].mean.mean()) for name in names]
            rows.append([f"{dataset} {k}", *(f"**{m:.4f}**" if m == min(means) else f"{m:.4f}" for m in means)])
        parts += [f"### {plan.title}", "", *markdown_table(["data set, k", *names], rows), ""]
    return parts


def _pictures(curves: Curves) -> list[str]:
    parts = ["## Pictures", ""]
    for plan in curves.plans:
        inside = cells(plan, curves.settings)
        if inside:
            links = ", ".join(f"[{name} {k}]({plan.name}/{name}-k{k}.png)" for name, k in inside)
            parts += [f"![{plan.title}: mean gap against labels]({plan.name}/overview.png)", ""]
            parts += [f"{plan.title}, one by one: {links}.", ""]
    return parts


def _details(claims: list[Claim]) -> list[str]:
    parts = ["## The claims, cell by cell", ""]
    for number, claim in enumerate(claims, start=1):
        parts += [
            f"### {_title(number, claim)}",
            "",
            f"{claim.place}. **{claim.verdict}**: {claim.result}. Rule: {claim.rule}.",
            "",
            *markdown_table(
                ["where", "holds", "numbers"],
                [[f.where, "yes" if f.holds else "no", f.numbers] for f in claim.findings],
            ),
            "",
        ]
    return parts


def _title(number: int, claim: Claim) -> str:
    return f"{number}. {claim.sentence}"


def _anchor(title: str) -> str:
    """Name under which readers of Markdown find a heading.

    Examples
    --------
    >>> _anchor("4. In many cases, AFS is better. [pool-floor]")
    '4-in-many-cases-afs-is-better-pool-floor'
    """
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
