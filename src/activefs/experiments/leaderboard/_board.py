"""All results of the leaderboard, read from the store."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from activefs.experiments.leaderboard._choices import ASSISTED, CHOSEN, PLUG_IN
from activefs.experiments.leaderboard._items import EstimationResult, LabellingResult
from activefs.experiments.leaderboard._plan import parts_of, runs_of
from activefs.experiments.leaderboard._settings import LeaderboardSettings
from activefs.runs import Bundle, Line, Source, Store, WorkItem
from activefs.types import Bools, Floats

Entry = tuple[str, str]
"""Choice and estimate."""
Cell = tuple[Source, int]
"""Data set and k."""

_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Speed:
    """Times of one choice on one data set.

    Attributes
    ----------
    per_label, largest : float
        Mean seconds of the processor for a question, and the longest single one, over all runs (and all k, if there
        is a run for each).
    per_label_by_clock, largest_by_clock : float
        The same by the clock, which other work on the machine makes longer.
    per_estimate : float
        Mean seconds of an assisted estimate without its bounds; NaN if there is none.
    preparing : float
        Seconds for preparing the assistant; NaN if there is none.
    """

    per_label: float
    largest: float
    per_label_by_clock: float
    largest_by_clock: float
    per_estimate: float
    preparing: float


class Board:
    """Gaps at the measured label counts, by (data set, k, choice, estimate), and what else was measured.

    Attributes
    ----------
    settings : LeaderboardSettings
        What was run.
    gaps : dict of (data set, k, choice, estimate) to Bundle
        Each with one row per run and one column per measured label count.
    blind : dict of (data set, k) to float
        Gap of features that are chosen blindly.
    reliability : dict of (data set, k) to array of shape (runs, counts, 4)
        For the choice "assisted" with assisted estimates: share of features within bounds, expected gap, true gap,
        and whether the labels are informative.
    speeds : dict of (data set, choice) to Speed
        How long questions and estimates took.
    hours : float
        Of one core, for everything.
    """

    def __init__(self, settings: LeaderboardSettings, store: Store) -> None:
        self.settings = settings
        self.gaps: dict[tuple[str, int, str, str], Bundle] = {}
        self.blind: dict[tuple[str, int], float] = {}
        self.reliability: dict[tuple[str, int], Floats] = {}
        self.speeds: dict[tuple[str, str], Speed] = {}
        self.hours = 0.0
        for source in settings.sources:
            for line in settings.lines:
                self._read(source, line, store)

    @property
    def entries(self) -> list[Entry]:
        """Pairs (choice, estimate), in the order of the tables."""
        return list(dict.fromkeys((choice, estimate) for _, _, choice, estimate in self.gaps))

    def cells(self) -> list[Cell]:
        """Pairs (data set, k)."""
        return [(source, k) for source in self.settings.sources for k in self.settings.ks_of(source)]

    def averaged(self, source: Source) -> Bools:
        """Which of the measured label counts are averaged."""
        return np.isin(self.settings.measured_of(source), self.settings.counts_of(source))

    def unit(self, cell: Cell, alike: bool) -> float:
        """What gaps are divided by: the gap of features chosen blindly if sets shall count alike, else 1."""
        blind = self.blind[cell[0].name, cell[1]] if alike else 1.0
        return blind if blind > _ROUNDING else 1.0  # where blind choice is perfect, so is every other

    def scores(self, cell: Cell, entry: Entry, *, alike: bool = False) -> Floats:
        """Mean gap of every run over the label counts that are averaged."""
        source, k = cell
        gaps = self.gaps[source.name, k, *entry].gaps
        return np.asarray(gaps[:, self.averaged(source)].mean(axis=1)) / self.unit(cell, alike)

    def _read(self, source: Source, line: Line, store: Store) -> None:
        settings = self.settings
        counts = np.array(settings.measured_of(source)) - 1
        times: list[tuple[LabellingResult, EstimationResult | None]] = []
        for k in settings.ks_of(source):
            found = [_read(settings, item, store) for item in runs_of(settings, source, line, k)]
            at = found[0][0].index(k)
            plug_in = np.stack([labelled.gaps[at, counts] for _, labelled, _ in found]).astype(np.float64)
            self.gaps[source.name, k, line.name, PLUG_IN] = Bundle(plug_in)
            self.blind[source.name, k] = float(found[0][1].blind[at])
            estimated = [e for _, _, e in found if e is not None]
            if estimated:
                assisted = np.stack([e.gaps[at] for e in estimated])
                self.gaps[source.name, k, line.name, ASSISTED] = Bundle(assisted)
            if line.name == CHOSEN:
                parts = [np.stack([e.covered[at], e.expected[at], e.gaps[at], e.informative], -1) for e in estimated]
                self.reliability[source.name, k] = np.stack(parts)
            # Runs that do not depend on k were read for the first k already.
            if line.needs_k or not times:
                times += [(labelled, e) for _, labelled, e in found]
        self.speeds[source.name, line.name] = _speed(times)
        self.hours += sum(labelled.spent + (0.0 if e is None else e.spent) for labelled, e in times) / 3600


def _read(
    settings: LeaderboardSettings, item: WorkItem, store: Store
) -> tuple[tuple[int, ...], LabellingResult, EstimationResult | None]:
    labelling, estimation = parts_of(settings, item)
    return item.ks, store.read(labelling), None if estimation is None else store.read(estimation)


def _speed(times: list[tuple[LabellingResult, EstimationResult | None]]) -> Speed:
    processor = np.concatenate([labelled.processor for labelled, _ in times])
    clock = np.concatenate([labelled.seconds for labelled, _ in times])
    estimated = [e for _, e in times if e is not None]
    return Speed(
        float(processor.mean()),
        float(processor.max()),
        float(clock.mean()),
        float(clock.max()),
        float(np.mean([e.seconds.mean() for e in estimated])) if estimated else float("nan"),
        max((e.preparing for e in estimated), default=float("nan")),
    )
