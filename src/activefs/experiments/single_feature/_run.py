"""All experiments under all definitions, taken up where an earlier run stopped."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from activefs.experiments.single_feature._definitions import DEFINITIONS, Definition
from activefs.experiments.single_feature._experiments import Experiment
from activefs.experiments.single_feature._items import FeatureItem
from activefs.experiments.single_feature._measure import READINGS, Measured
from activefs.experiments.single_feature._settings import SingleFeatureSettings
from activefs.experiments.single_feature._statistics import wins
from activefs.runs import Begin, SingleShard, Store, Work, half_width, plan_items, run, silent
from activefs.types import Floats, Ints


@dataclass(frozen=True)
class Group:
    """Results of one set of experiments under one definition; experiments lie along the first axis.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> feature = Experiment("mine", "uniform", "smoker", p=(0.3, 0.7), q=(0.4, 0.1))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     settings = SingleFeatureSettings(repetitions=50, budgets=(5, 10))
    ...     _, results = run_experiments([feature], settings, Store(Path(folder)))
    >>> results["paper"]["uniform"].counts().shape  # budgets, policies, (clear wins, wins)
    (2, 9, 2)
    """

    experiments: tuple[Experiment, ...]
    definition: Definition
    settings: SingleFeatureSettings
    measured: Measured

    def interval(self, reading: str = "outside", confidence: float | None = None) -> tuple[Floats, Floats]:
        """Low and high end of the interval of every average error."""
        at = READINGS.index(reading)
        width = half_width(self.measured.sd[:, at], self.settings.repetitions, confidence or self.definition.confidence)
        mean = self.measured.mean[:, at]
        return mean - width, mean + width

    def counts(self, reading: str = "outside", confidence: float | None = None) -> Ints:
        """Return the numbers of (clear wins, wins), shape (budgets, policies, 2)."""
        return count_wins(*self.interval(reading, confidence))


def count_wins(low: Floats, high: Floats) -> Ints:
    """Sum (clear wins, wins) over the experiments, the first axis."""
    clear, any_win = wins(low, high)
    return np.stack([clear.sum(axis=0), any_win.sum(axis=0)], axis=-1)


Results = dict[str, dict[str, Group]]
"""Results by name of the definition, then by name of the set of experiments."""


def run_experiments(
    experiments: list[Experiment],
    settings: SingleFeatureSettings,
    store: Store,
    *,
    jobs: int = 1,
    begin: Begin = silent,
) -> tuple[Work[SingleShard[Measured]], Results]:
    """Measure every experiment under every definition; what is kept is read, what is missing is computed and kept."""
    items = [FeatureItem(experiment, definition, settings) for experiment in experiments for definition in DEFINITIONS]
    work = plan_items(items, store)
    run(work, store, jobs=jobs, advance=begin(work))
    results: Results = {definition.name: {} for definition in DEFINITIONS}
    for definition in DEFINITIONS:
        for group in dict.fromkeys(experiment.group for experiment in experiments):
            mine = [item for item in items if item.definition is definition and item.experiment.group == group]
            measured = _stack([store.read(item) for item in mine])
            results[definition.name][group] = Group(
                tuple(item.experiment for item in mine), definition, settings, measured
            )
    return work, results


def _stack(parts: list[Measured]) -> Measured:
    return Measured(**{f.name: np.stack([getattr(part, f.name) for part in parts]) for f in fields(Measured)})
