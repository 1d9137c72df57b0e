"""Every run has its own seed, also in the model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from activefs import Session
from activefs.experiments.leaderboard import LeaderboardSettings, LeaderboardShard, choices, named, parts_of, runs_of
from activefs.experiments.leaderboard._items import LabellingResult
from activefs.runs import RunShard, WorkItem, _shards, assistant_of, labelled_pool, lines

SMALL = named("SMALL")


def test_runs_have_assistants_of_their_own_that_share_what_was_prepared() -> None:
    settings = LeaderboardSettings((SMALL,), choices("assisted"), (5,), 2, 25)
    seeds = [item.random_state for item in runs_of(settings, SMALL, settings.lines[0], 5)]
    one, other = (assistant_of(SMALL, seed)[0] for seed in seeds)
    assert [one.seed, other.seed] == seeds and len(set(seeds)) == 2
    rows = np.arange(60)
    mine, theirs = (each.complete(rows, labelled_pool(SMALL).y[rows], 2).probabilities for each in (one, other))
    assert not np.array_equal(mine, theirs)
    assert vars(one)["_views"] is vars(other)["_views"]


def test_the_leaderboard_measures_what_a_session_with_the_same_seed_does() -> None:
    settings = LeaderboardSettings((SMALL,), choices("assisted"), (5,), 1, 40)
    item = runs_of(settings, SMALL, settings.lines[0], 5)[0]
    labelling, estimation = parts_of(settings, item)
    assert estimation is not None
    labelled, estimated = LeaderboardShard((labelling, estimation)).run()
    whole = labelled_pool(SMALL)
    session = Session(whole.pool, 5, budget=40, strategy="assisted", classes=[0, 1], random_state=item.random_state)
    rows = []
    while not session.finished:
        rows.append(session.ask())
        session.tell(rows[-1], int(whole.y[rows[-1]]))
        if len(rows) == 25:
            gap = whole.truth[session.leaders()].sum() - np.sort(whole.truth)[:5].sum()
    assert isinstance(labelled, LabellingResult) and rows == labelled.rows.tolist()
    assert estimated.gaps[0, 0] == pytest.approx(gap)


def test_reproduce_gives_every_run_its_own_seed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def noted(source: object, seed: int) -> object:
        seen.append(seed)
        return assistant_of(SMALL, seed)

    monkeypatch.setattr(_shards, "assistant_of", noted)
    line = replace(lines.RANDOM, estimator="assisted")
    items = [WorkItem(SMALL, line, (5,), run, 12, 0) for run in range(2)]
    for item in items:
        RunShard((item,)).run()
    assert seen == [item.random_state for item in items] and len(set(seen)) == 2
