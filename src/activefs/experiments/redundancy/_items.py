"""The work: select features with few labels, then train a classifier on them with all labels."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score

from activefs.datasets import QUANTISER_VERSION
from activefs.redundancy import PoolInformation
from activefs.runs import GapMeter, Source, labelled_pool, number_of, run_session

# Part of every item's key: raise it whenever the same key would give other numbers.
VERSION = 1
TREES, FOLDS, ROWS = 100, 3, 4000


@dataclass(frozen=True)
class RuleQuality:
    """What the features are worth that a rule chose.

    Attributes
    ----------
    accuracy : float
        Balanced accuracy of a random forest on the chosen columns, cross-validated with all labels.
    gap : float
        What the chosen features lack in single-feature information (nats).
    overlap : float
        Mean information that two chosen features have about each other (nats).
    """

    accuracy: float
    gap: float
    overlap: float


@dataclass(frozen=True)
class RuleItem:
    """Work item: one run of AFS with one rule on one data set.

    Attributes
    ----------
    source : Source
        The data set.
    rule : str
        Name of the redundancy rule.
    run, k, budget : int
        Number of the run, which is its seed, features wanted, labels.
    """

    source: Source
    rule: str
    run: int
    k: int
    budget: int

    @property
    def path(self) -> Path:
        """Where it is kept, below the folder of all items."""
        content = [VERSION, QUANTISER_VERSION, *self.source.key, self.rule, self.run, self.k, self.budget]
        return Path(self.source.name) / self.rule / f"run-{self.run:03d}-{number_of(content):016x}.parquet"

    @property
    def weight(self) -> float:
        """About how long it takes, in microseconds."""
        return 3e6 + self.budget * (1e3 + 1e-3 * self.source.rows * self.k**2)

    def to_table(self, result: RuleQuality) -> pa.Table:
        """One row."""
        return pa.table({name: [value] for name, value in asdict(result).items()})

    def from_table(self, table: pa.Table) -> RuleQuality | None:
        """The same back."""
        return RuleQuality(*(table.column(name)[0].as_py() for name in ("accuracy", "gap", "overlap")))

    def compute(self) -> RuleQuality:
        """Select features with AFS and the rule, then train a classifier on them."""
        given = labelled_pool(self.source)
        options = {"k": self.k, "strategy": "afs", "redundancy": self.rule, "budget": self.budget}
        chosen = run_session(given, options, self.run)[0].leaders()
        information = PoolInformation(given.pool)
        overlaps = [information.between(chosen[chosen != f], int(f)).mean() for f in chosen]
        rows = np.random.default_rng(self.run).permutation(given.pool.n_rows)[:ROWS]
        forest = RandomForestClassifier(TREES, random_state=self.run)
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=self.run)
        columns = given.pool.codes_of(rows, chosen).T
        scores = cross_val_score(forest, columns, given.y[rows], cv=folds, scoring="balanced_accuracy")
        gap = GapMeter(given.truth, (self.k,)).of(chosen)
        return RuleQuality(float(scores.mean()), gap, float(np.mean(overlaps)))
