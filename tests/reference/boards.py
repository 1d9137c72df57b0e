"""Leaderboards from numbers, without a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from activefs.experiments.leaderboard import Board, LeaderboardSettings, Speed, choices
from activefs.runs import Bundle, Source

AFS, POOL, MINE, BASE = (
    ("afs", "plug-in"),
    ("afs (pool floor)", "plug-in"),
    ("assisted", "assisted"),
    ("random", "plug-in"),
)


def board(
    gaps: Mapping[tuple[str, int, str, str], Sequence[Sequence[float]]],
    sources: tuple[Source, ...],
    *,
    ks: tuple[int, ...] = (5,),
    budget: int = 150,
    blind: Mapping[tuple[str, int], float] | None = None,
) -> Board:
    """A board without a store: two runs, for each of them a gap at every measured label count.

    Features that are chosen blindly have a gap of 1 unless another is given.
    """
    made = Board.__new__(Board)
    made.settings = LeaderboardSettings(sources, choices("random,afs,assisted"), ks, runs=2, budget=budget)
    made.gaps = {key: Bundle(np.array(values)) for key, values in gaps.items()}
    made.blind = {(name, k): 1.0 for name, k, *_ in gaps} | dict(blind or {})
    made.reliability = {}
    made.speeds = {
        (s.name, line.name): Speed(0.01, 0.1, 0.02, 0.2, 0.3, 1.0) for s in sources for line in made.settings.lines
    }
    made.hours = 1.0
    return made


def flat(
    means: Mapping[tuple[str, int], tuple[float, float, float, float]], sources: tuple[Source, ...], **more: object
) -> Board:
    """A board of gaps that never change: for every data set and k those of AFS, its other floor, assisted, random."""
    made = board({}, sources, **more)  # type: ignore[arg-type]
    by_name = {source.name: source for source in sources}
    for (name, k), values in means.items():
        size = len(made.settings.measured_of(by_name[name]))
        made.blind.setdefault((name, k), 1.0)
        for entry, value in zip((AFS, POOL, MINE, BASE), values, strict=True):
            made.gaps[name, k, *entry] = Bundle(np.full((2, size), value))
    return made
