"""The paper's single-feature experiments: which policy estimates the entropy of a feature best.

Examples
--------
>>> from activefs.experiments.single_feature import simulate
>>> simulate([0.5, 0.5], [0.1, 0.5], "PROP", decisions=[50], repetitions=10).shape
(10, 1)
"""

from activefs.experiments.single_feature._as_released import as_released
from activefs.experiments.single_feature._definitions import DEFINITIONS, PAPER, RELEASED, Definition
from activefs.experiments.single_feature._experiments import (
    GROUPS,
    Experiment,
    adult_experiments,
    check_groups,
    fixed_experiments,
    uniform_experiments,
)
from activefs.experiments.single_feature._reproduce import reproduce, steps
from activefs.experiments.single_feature._run import Group, Settings
from activefs.experiments.single_feature._simulator import simulate

__all__ = [
    "DEFINITIONS",
    "GROUPS",
    "PAPER",
    "RELEASED",
    "Definition",
    "Experiment",
    "Group",
    "Settings",
    "adult_experiments",
    "as_released",
    "check_groups",
    "fixed_experiments",
    "reproduce",
    "simulate",
    "steps",
    "uniform_experiments",
]
