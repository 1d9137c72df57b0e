"""All experiments under all definitions, taken up where an earlier run stopped."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, fields

import numpy as np

from activefs.allocation import check_count
from activefs.exceptions import InvalidInputError
from activefs.experiments.single_feature._definitions import DEFINITIONS, Definition
from activefs.experiments.single_feature._experiments import Experiment
from activefs.experiments.single_feature._measure import READINGS, Measured, measure
from activefs.experiments.single_feature._published import BUDGETS
from activefs.experiments.single_feature._statistics import half_width, wins
from activefs.experiments.single_feature._store import Store
from activefs.types import Floats, Ints


@dataclass(frozen=True)
class Settings:
    """What the numbers depend on, besides the experiments.

    Attributes
    ----------
    repetitions : int
        Runs of every policy on every feature, at least 2.
    seed : int
        Of the labels, the ties and the uniform q.
    budgets : tuple of int
        Labels after the initial draws, ascending.

    Examples
    --------
    >>> Settings(repetitions=200).budgets
    (50, 100, 300, 500)
    """

    repetitions: int = 10_000
    seed: int = 0
    budgets: tuple[int, ...] = BUDGETS

    def __post_init__(self) -> None:
        check_count(self.repetitions, "repetitions", 2)
        check_count(self.seed, "seed", 0)
        if not self.budgets or min(self.budgets) < 1 or sorted(set(self.budgets)) != list(self.budgets):
            raise InvalidInputError(f"budgets must be whole numbers that ascend from 1, got {self.budgets}")


@dataclass(frozen=True)
class Group:
    """Results of one set of experiments under one definition; experiments lie along the first axis.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> feature = Experiment("mine", "uniform", "smoker", p=(0.3, 0.7), q=(0.4, 0.1))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     results = run([feature], Settings(repetitions=50, budgets=(5, 10)), Store(Path(folder)))
    >>> results["paper"]["uniform"].counts().shape  # budgets, policies, (clear wins, wins)
    (2, 9, 2)
    """

    experiments: tuple[Experiment, ...]
    definition: Definition
    settings: Settings
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


def run(
    experiments: list[Experiment],
    settings: Settings,
    store: Store,
    jobs: int = 1,
    advance: Callable[[], None] = lambda: None,
) -> Results:
    """Measure every experiment under every definition; kept results are read, new ones kept.

    One experiment is under way at a time, its policies spread over `jobs` threads.
    """
    workers = check_count(jobs, "jobs", 1)
    found: dict[str, dict[str, list[Measured]]] = {}
    with ThreadPoolExecutor(workers) as pool:
        for experiment in experiments:
            for definition in DEFINITIONS:
                path = store.path(f"{experiment.name}-{definition.name}", _key(experiment, definition, settings))
                measured = store.load(path)
                if measured is None:
                    measured = measure(
                        experiment, definition, settings.budgets, settings.repetitions, settings.seed, pool
                    )
                    store.save(path, measured)
                of_group = found.setdefault(definition.name, {}).setdefault(experiment.group, [])
                of_group.append(measured)
                advance()
    return {
        definition.name: {
            group: Group(tuple(e for e in experiments if e.group == group), definition, settings, _stack(parts))
            for group, parts in found[definition.name].items()
        }
        for definition in DEFINITIONS
    }


def _key(experiment: Experiment, definition: Definition, settings: Settings) -> dict[str, object]:
    return {
        "experiment": asdict(experiment),
        "policies": [repr(policy) for policy in definition.policies],
        "initial": definition.initial,
        "late": definition.late,
        **asdict(settings),
    }


def _stack(parts: list[Measured]) -> Measured:
    return Measured(**{f.name: np.stack([getattr(part, f.name) for part in parts]) for f in fields(Measured)})
