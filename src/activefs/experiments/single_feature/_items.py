"""The work: one experiment under one definition."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
import pyarrow as pa

from activefs.experiments.single_feature._definitions import Definition
from activefs.experiments.single_feature._experiments import Experiment
from activefs.experiments.single_feature._measure import Measured, measure
from activefs.experiments.single_feature._settings import SingleFeatureSettings
from activefs.runs import number_of

# Part of every item's key: raise it whenever the same key would give other numbers.
VERSION = 1


@dataclass(frozen=True)
class FeatureItem:
    """Work item: the errors of all policies on one feature.

    Attributes
    ----------
    experiment : Experiment
        The feature.
    definition : Definition
        Policies, initial draws and intervals.
    settings : SingleFeatureSettings
        Repetitions, seed and budgets.
    """

    experiment: Experiment
    definition: Definition
    settings: SingleFeatureSettings

    source = None
    """It needs no data set: the experiment has the probabilities."""

    @property
    def path(self) -> Path:
        """Where it is kept, below the folder of all items."""
        policies = [repr(policy) for policy in self.definition.policies]
        drawn = [policies, self.definition.initial, self.definition.late]
        number = number_of([VERSION, asdict(self.experiment), *drawn, asdict(self.settings)])
        return Path(self.experiment.group) / f"{self.experiment.name}-{self.definition.name}-{number:016x}.parquet"

    @property
    def weight(self) -> float:
        """About how long it takes, in microseconds."""
        return 1e5 + 0.2 * self.settings.repetitions * self.settings.budgets[-1]

    def to_table(self, result: Measured) -> pa.Table:
        """One row, each array in a cell; the shapes are told beside."""
        arrays = vars(result)
        shapes = json.dumps({name: array.shape for name, array in arrays.items()})
        return pa.table({name: [array.ravel()] for name, array in arrays.items()}, metadata={"shapes": shapes})

    def from_table(self, table: pa.Table) -> Measured | None:
        """The same back."""
        shapes = json.loads(table.schema.metadata[b"shapes"])
        return Measured(
            **{
                f.name: np.array(table.column(f.name)[0].values.to_numpy()).reshape(shapes[f.name])
                for f in fields(Measured)
            }
        )

    def compute(self) -> Measured:
        """Run all policies."""
        budgets, repetitions, seed = self.settings.budgets, self.settings.repetitions, self.settings.seed
        return measure(self.experiment, self.definition, budgets, repetitions, seed)
