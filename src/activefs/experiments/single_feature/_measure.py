"""One experiment, all policies: average errors and how they vary, for both readings of the budget."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from activefs.allocation import Policy
from activefs.experiments.single_feature._definitions import Definition
from activefs.experiments.single_feature._experiments import Experiment
from activefs.experiments.single_feature._simulator import simulate
from activefs.types import Floats

# The budget counts the labels chosen after the initial draws, or all labels.
READINGS = ("outside", "inside")
# How many repetitions the authors' released code runs.
FEW = 1_000


@dataclass(frozen=True)
class Measured:
    """Average errors of all policies on one feature.

    Attributes
    ----------
    mean : array of float, shape (readings, budgets, policies)
        Average error; nan where the budget does not pay for the initial draws.
    covariance : array of float, shape (readings, budgets, policies, policies)
        Of the errors of one repetition: policies get the same labels, so their errors go together.
    few_mean, few_sd : array of float, shape (readings, budgets, policies)
        Average and standard deviation over the first 1,000 repetitions.
    """

    mean: Floats
    covariance: Floats
    few_mean: Floats
    few_sd: Floats

    @property
    def sd(self) -> Floats:
        """Standard deviation of the error of one repetition."""
        return np.sqrt(np.diagonal(self.covariance, axis1=-2, axis2=-1))


def measure(
    experiment: Experiment, definition: Definition, budgets: tuple[int, ...], repetitions: int, seed: int
) -> Measured:
    """Run all policies on one feature."""
    errors = np.stack(
        [_errors(experiment, definition, policy, budgets, repetitions, seed) for policy in definition.policies], axis=-1
    )
    centred = errors - errors.mean(axis=0)
    covariance = np.einsum("rabi,rabj->abij", centred, centred, optimize=True) / (repetitions - 1)
    few = errors[:FEW]
    return Measured(errors.mean(axis=0), covariance, few.mean(axis=0), few.std(axis=0, ddof=1))


def _errors(
    experiment: Experiment,
    definition: Definition,
    policy: Policy,
    budgets: tuple[int, ...],
    repetitions: int,
    seed: int,
) -> Floats:
    """Errors, shape (repetitions, readings, budgets)."""
    first = definition.initial * len(experiment.p)
    outside = np.array(budgets) - definition.late
    wanted = np.stack([outside, outside - first])
    errors = np.full((repetitions, *wanted.shape), np.nan)
    # A policy that knows the budget needs a run per budget; of the others, one run shows them all.
    runs = [[i] for i in range(len(budgets))] if policy.uses_budget else [list(range(len(budgets)))]
    for run in runs:
        part = wanted[:, run]
        decisions = np.unique(part[part >= 0])
        found = simulate(
            experiment.p,
            experiment.q,
            policy,
            decisions.tolist(),
            repetitions,
            seed,
            initial=definition.initial,
            budget=budgets[run[-1]],
            stream=experiment.name,
        )
        for reading in range(len(READINGS)):
            for i in run:
                if wanted[reading, i] >= 0:
                    errors[:, reading, i] = found[:, np.searchsorted(decisions, wanted[reading, i])]
    return errors
