"""Relative gaps and label counts, against figures computed by hand."""

from __future__ import annotations

import numpy as np
import pytest

from activefs.exceptions import InvalidInputError
from activefs.experiments.leaderboard import (
    Board,
    LeaderboardSettings,
    Speed,
    against_random,
    better_floor,
    choices,
    labels_needed,
    main_table,
    relative,
    reliability,
    report,
    short_table,
    targets,
)
from activefs.runs import Bundle, Source

ONE, TWO = Source("ONE", 1000, 40), Source("TWO", 1000, 40)
AFS, POOL, MINE, BASE = (
    ("afs", "plug-in"),
    ("afs (pool floor)", "plug-in"),
    ("assisted", "assisted"),
    ("random", "plug-in"),
)


def board(gaps: dict[tuple[str, int, str, str], list[list[float]]], sources: tuple[Source, ...] = (ONE, TWO)) -> Board:
    """A board without a store: two runs, measured at 25, 50, 100 and (not averaged) 150 labels."""
    made = Board.__new__(Board)
    made.settings = LeaderboardSettings(sources, choices("random,afs,assisted"), (5,), runs=2, budget=150)
    made.gaps = {key: Bundle(np.array(values)) for key, values in gaps.items()}
    made.reliability = {}
    made.speeds = {
        (s.name, line.name): Speed(0.01, 0.1, 0.02, 0.2, 0.3, 1.0) for s in sources for line in made.settings.lines
    }
    made.hours = 1.0
    return made


def example() -> Board:
    return board(
        {
            ("ONE", 5, *AFS): [[0.6, 0.3, 0.3, 9.0], [0.8, 0.5, 0.5, 9.0]],  # mean 0.5
            ("ONE", 5, *POOL): [[0.9, 0.9, 0.9, 0.1], [0.9, 0.9, 0.9, 0.1]],  # mean 0.9
            ("ONE", 5, *MINE): [[0.2, 0.1, 0.0, 0.0], [0.2, 0.1, 0.0, 0.0]],  # mean 0.1
            ("ONE", 5, *BASE): [[1.0, 1.0, 1.0, 1.0], [2.0, 2.0, 2.0, 2.0]],
            ("TWO", 5, *AFS): [[0.9, 0.9, 0.9, 0.2], [0.9, 0.9, 0.9, 0.2]],  # mean 0.9
            ("TWO", 5, *POOL): [[0.4, 0.3, 0.2, 0.2], [0.4, 0.3, 0.2, 0.2]],  # mean 0.3
            ("TWO", 5, *MINE): [[0.5, 0.3, 0.1, 0.3], [0.5, 0.3, 0.1, 0.3]],  # mean 0.3
            ("TWO", 5, *BASE): [[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]],
        }
    )


def test_gaps_not_ratios_are_averaged_and_afs_has_its_better_floor_on_each_set() -> None:
    found = relative(example(), [ONE, TWO], 5, MINE)
    assert found is not None and found.value == pytest.approx((0.1 + 0.3) / (0.5 + 0.3))
    alone = relative(example(), [ONE], 5, MINE)
    assert alone is not None and alone.value == pytest.approx(0.1 / 0.5)


def test_one_floor_for_all_sets_is_the_better_on_average() -> None:
    made = example()
    assert better_floor(made, [ONE], 5) == AFS and better_floor(made, [TWO], 5) == POOL
    assert better_floor(made, [ONE, TWO], 5) == POOL  # 0.6 against 0.7
    found = relative(made, [ONE, TWO], 5, MINE, one_floor=True)
    assert found is not None and found.value == pytest.approx(0.4 / 1.2)


def test_intervals_hold_what_other_runs_would_have_given() -> None:
    found = relative(example(), [ONE], 5, MINE)
    assert found is not None
    # The runs of AFS have the mean gaps 0.4 and 0.6: drawn again, their mean is 0.4, 0.5 or 0.6.
    assert found.low == pytest.approx(0.1 / 0.6) and found.high == pytest.approx(0.1 / 0.4)


def test_labels_needed_is_the_first_count_as_good_as_afs_with_either_floor_at_the_end() -> None:
    made = example()
    assert labels_needed(made, [ONE], 5, MINE) == 50  # 0.1 is what the floor 'pool' ends with
    assert labels_needed(made, [TWO], 5, MINE) == 100
    assert labels_needed(made, [ONE], 5, BASE) == 151  # never
    assert labels_needed(made, [ONE], 5, ("dwus", "plug-in")) is None
    # Averaged over both, AFS ends with 0.15 ('pool'); assisted has 0.35, 0.2, 0.05.
    assert labels_needed(made, [ONE, TWO], 5, MINE) == 100


def test_a_gap_of_zero_is_even_with_a_gap_of_zero() -> None:
    nothing = [[0.0] * 4] * 2
    made = board({("ONE", 5, *entry): nothing for entry in (AFS, POOL, MINE)}, (ONE,))
    made.gaps["ONE", 5, *BASE] = Bundle(np.ones((2, 4)))
    found, other = relative(made, [ONE], 5, MINE), relative(made, [ONE], 5, BASE)
    assert found is not None and (found.value, found.low, found.high) == (1.0, 1.0, 1.0)
    assert other is not None and other.value == np.inf


def test_without_afs_nothing_is_relative() -> None:
    made = board({("ONE", 5, *MINE): [[0.0] * 4] * 2}, (ONE,))
    assert relative(made, [ONE], 5, MINE) is None and better_floor(made, [ONE], 5) is None
    assert "| assisted | assisted | – | – |" in "\n".join(main_table(made))


def test_against_random_is_a_difference_and_the_spread_of_its_runs() -> None:
    found = against_random(example(), ONE, 5)
    assert found is not None
    assert found[0] == pytest.approx(0.1 - 1.5) and found[1] == pytest.approx(np.std([1.0, 2.0], ddof=1))


def test_targets_say_by_how_much_they_are_missed() -> None:
    made = board(
        {("RARE", 5, *MINE): [[2.0] * 4] * 2, ("RARE", 5, *BASE): [[1.0] * 4, [1.5] * 4]}, (Source("RARE", 5000, 60),)
    )
    trap = next(t for t in targets(made) if t.what.startswith("traps"))
    assert trap.measured == "1 of 1 cases" and "RARE k=5: +0.7500 nats, spread 0.3536" in trap.missed_by
    ask = next(t for t in targets(made) if t.what.startswith("longest"))
    assert ask.missed_by == "" and ask.measured.startswith("0.10 s")


def test_what_an_estimate_says_about_itself_is_summed_up() -> None:
    made = example()
    expected = np.array([[0.4, 0.3, 0.2, 0.1], [0.5, 0.35, 0.25, 0.15]])
    true = expected**2
    made.reliability["ONE", 5] = np.stack([np.full((2, 4), 0.8), expected, true, np.ones((2, 4))], axis=-1)
    found = reliability(made, [ONE])
    assert found is not None and reliability(made, [TWO]) is None
    assert found.coverage == pytest.approx(0.8) and found.correlation == pytest.approx(1.0)
    assert found.true == pytest.approx(true.mean()) and found.informative == 1.0


def test_report_and_short_table_show_the_figures() -> None:
    text = report(example(), ["something was left out"])
    assert "0.50 [" in text and "- something was left out." in text
    assert "| assisted | assisted | **0.50 [" in short_table(example())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"runs": 0}, "runs must be at least 1"),
        ({"ks": (0,)}, "k must be at least 1"),
        ({"budget": 24}, "budget must be at least 25"),
        ({"sources": ()}, "nothing to run"),
    ],
)
def test_settings_that_cannot_be_run_are_refused(change: dict, words: str) -> None:
    with pytest.raises(InvalidInputError, match=words):
        LeaderboardSettings(**{"sources": (ONE,), **change})


def test_small_tables_have_fewer_labels_and_no_k_above_half_of_the_features() -> None:
    settings = LeaderboardSettings((Source("TINY", 100, 12),))
    assert settings.budget_of(settings.sources[0]) == 80 and settings.ks_of(settings.sources[0]) == (5,)
    assert settings.measured_of(settings.sources[0]) == (25, 50)
