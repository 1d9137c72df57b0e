"""What redundancy-aware selection buys: a classifier on the chosen columns, at the same budget of labels."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import joblib
import numpy as np
from matplotlib.figure import Figure
from scipy import stats
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score

from activefs import datasets
from activefs.exceptions import InvalidInputError
from activefs.pool import Pool
from activefs.redundancy import PoolInformation
from activefs.runs import GapMeter, true_impurity, write_whole
from activefs.session import Session

RULES = ("none", "mrmr", "jmi", "cmim")
_TREES, _FOLDS, _ROWS = 100, 3, 4000


@dataclass(frozen=True)
class Trial:
    """One selection: a data set, a rule, and a run."""

    dataset: str
    rule: str
    run: int
    k: int
    budget: int

    @property
    def file(self) -> str:
        """Where its outcome is kept, below the folder of pieces."""
        return f"{self.dataset}-{self.rule}-k{self.k}-b{self.budget}-run{self.run}.json"


@dataclass(frozen=True)
class Outcome:
    """What came out of a trial.

    Attributes
    ----------
    accuracy : float
        Balanced accuracy of a random forest on the chosen columns, cross-validated with all labels.
    gap : float
        What the chosen features lack in single-feature information (nats).
    overlap : float
        Mean information that two chosen features have about each other (nats).
    labels : int
        Labels that were read.
    """

    accuracy: float
    gap: float
    overlap: float
    labels: int


def run_trial(trial: Trial) -> Outcome:
    """Select features with AFS and the rule, then train a classifier on them."""
    found = datasets.load(trial.dataset)
    pool, y = Pool.from_table(found.X), found.y.astype(int)
    session = Session(
        pool, trial.k, redundancy=trial.rule, budget=trial.budget, random_state=trial.run, when_certified="continue"
    )
    while not session.finished:
        row = session.ask()
        session.tell(row, int(y[row]))
    chosen = session.contested().leaders
    information = PoolInformation(pool)
    overlaps = [information.between(chosen[chosen != f], int(f)).mean() for f in chosen]
    rng = np.random.default_rng(trial.run)
    rows = rng.permutation(pool.n_rows)[:_ROWS]
    forest = RandomForestClassifier(_TREES, random_state=trial.run)
    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=trial.run)
    scores = cross_val_score(forest, pool.codes[chosen][:, rows].T, y[rows], cv=folds, scoring="balanced_accuracy")
    gap = GapMeter(true_impurity(pool, y), trial.k).of(chosen)
    return Outcome(float(scores.mean()), gap, float(np.mean(overlaps)), session.n_labels)


def reproduce_redundancy(
    sets: Iterable[str], k: int, budget: int, runs: int, out: Path, jobs: int, advance: Callable[[], None]
) -> Path:
    """Run what is missing, keep every finished trial, and write summary, picture and report."""
    names = [name.upper() for name in sets]
    known = {info.name: info for info in datasets.available()}
    for name in names:
        if name not in known:
            raise InvalidInputError(f"there is no data set {name!r}; there are {', '.join(known)}")
        if budget > known[name].rows or k > known[name].features:
            raise InvalidInputError(f"{name} has {known[name].rows} rows and {known[name].features} features")
    if runs < 2:
        raise InvalidInputError(f"runs must be at least 2 for a spread, got {runs}")
    trials = [Trial(name, rule, run, k, budget) for name in names for rule in RULES for run in range(runs)]
    pieces = out / "pieces"
    pieces.mkdir(parents=True, exist_ok=True)
    write_whole(pieces / ".gitignore", b"*\n")
    missing = [t for t in trials if not (pieces / t.file).is_file()]
    for _ in range(len(trials) - len(missing)):
        advance()
    parallel = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")
    for trial, outcome in parallel(joblib.delayed(_kept)(t) for t in missing):
        write_whole(pieces / trial.file, json.dumps(asdict(outcome)).encode())
        advance()
    outcomes = {t: Outcome(**json.loads((pieces / t.file).read_text())) for t in trials}
    _write(names, outcomes, k, budget, runs, out)
    return out / "report.md"


def _kept(trial: Trial) -> tuple[Trial, Outcome]:
    return trial, run_trial(trial)


def _write(names: list[str], outcomes: dict[Trial, Outcome], k: int, budget: int, runs: int, out: Path) -> None:
    lines = ["dataset,rule,k,budget,runs,accuracy,accuracy_low,accuracy_high,gap,overlap"]
    table = ["| data | " + " | ".join(RULES) + " |", "|---|" + "---|" * len(RULES)]
    gains: dict[str, list[float]] = {rule: [] for rule in RULES}
    means = np.empty((len(names), len(RULES), 3))
    for i, name in enumerate(names):
        cells = []
        plain = np.array([o.accuracy for t, o in outcomes.items() if t.dataset == name and t.rule == "none"])
        for j, rule in enumerate(RULES):
            mine = [o for t, o in outcomes.items() if t.dataset == name and t.rule == rule]
            accuracy = np.array([o.accuracy for o in mine])
            half = stats.t.ppf(0.975, runs - 1) * accuracy.std(ddof=1) / np.sqrt(runs)
            means[i, j] = accuracy.mean(), accuracy.mean() - half, accuracy.mean() + half
            gains[rule].append(float(accuracy.mean() - plain.mean()))
            gap, overlap = np.mean([o.gap for o in mine]), np.mean([o.overlap for o in mine])
            values = ",".join(f"{v:.4f}" for v in (*means[i, j], gap, overlap))
            lines.append(f"{name},{rule},{k},{budget},{runs},{values}")
            cells.append(f"{accuracy.mean():.3f} ± {half:.3f} (overlap {overlap:.3f})")
        table.append(f"| {name} | " + " | ".join(cells) + " |")
    write_whole(out / "summary.csv", ("\n".join(lines) + "\n").encode())
    mean_gain = ", ".join(f"{r}: {np.mean(g):+.3f}" for r, g in gains.items() if r != "none")
    report = f"""# What redundancy-aware selection buys

AFS with {budget} labels chooses k={k} features by each rule; a random forest ({_TREES} trees, {_FOLDS}-fold
cross-validation, at most {_ROWS} rows, all labels) is then trained on the chosen columns. Balanced accuracy, mean of
{runs} runs with its 95% Student-t interval; in brackets the mean information (nats) that two chosen features have about
each other.

{chr(10).join(table)}

Mean gain in balanced accuracy over `redundancy="none"`, over the data sets: {mean_gain}.

![Balanced accuracy by rule](accuracy.svg)

Made by `activefs reproduce redundancy --k {k} --budget {budget} --runs {runs} --datasets {",".join(names)}`; the seed
of a run is its number. `summary.csv` has the figures, and the gap: what the chosen features lack in single-feature
information, which is what `"none"` minimises and the other rules give up on purpose.
"""
    write_whole(out / "report.md", report.encode())
    figure = Figure(figsize=(1.6 + 1.3 * len(names), 4), layout="constrained")
    axes = figure.subplots()
    for j, (rule, colour) in enumerate(zip(RULES, ("#4d4d4d", "#0072b2", "#e69f00", "#009e73"), strict=True)):
        at = np.arange(len(names)) + 0.2 * (j - 1.5)
        low, high = means[:, j, 0] - means[:, j, 1], means[:, j, 2] - means[:, j, 0]
        axes.errorbar(at, means[:, j, 0], yerr=[low, high], fmt="o", color=colour, capsize=3, label=rule)
    axes.set_xticks(range(len(names)), names)
    axes.set(ylabel="balanced accuracy", title=f"Random forest on {k} features chosen with {budget} labels")
    axes.legend(title="redundancy", frameon=False, ncols=4, loc="lower center", bbox_to_anchor=(0.5, -0.35))
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(out / "accuracy.svg", metadata={"Date": None})
