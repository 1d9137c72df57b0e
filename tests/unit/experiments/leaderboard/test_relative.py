"""Relative gaps and label counts, against figures computed by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from boards import AFS, BASE, MINE, POOL, board

from activefs.exceptions import InvalidInputError
from activefs.experiments.leaderboard import (
    Board,
    LeaderboardSettings,
    against_random,
    better_floor,
    labels_needed,
    main_table,
    relative,
    reliability,
    report,
    short_table,
)
from activefs.runs import Bundle, Source

ONE, TWO = Source("ONE", 1000, 40), Source("TWO", 1000, 40)
FIRST, SECOND = (ONE, 5), (TWO, 5)


def example() -> Board:
    """Measured at 25, 50, 100 and (not averaged) 150 labels."""
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
        },
        (ONE, TWO),
        blind={("ONE", 5): 2.0, ("TWO", 5): 1.0},
    )


def test_gaps_not_ratios_are_averaged_and_afs_has_its_better_floor_on_each_set() -> None:
    found = relative(example(), [FIRST, SECOND], MINE)
    assert found is not None and found.value == pytest.approx((0.1 + 0.3) / (0.5 + 0.3))
    alone = relative(example(), [FIRST], MINE)
    assert alone is not None and alone.value == pytest.approx(0.1 / 0.5)


def test_sets_that_count_alike_are_measured_by_what_blind_choice_would_lack() -> None:
    made = example()
    assert made.scores(FIRST, MINE, alike=True) == pytest.approx([0.05, 0.05])
    found = relative(made, [FIRST, SECOND], MINE, alike=True)
    assert found is not None and found.value == pytest.approx((0.1 / 2 + 0.3) / (0.5 / 2 + 0.3))
    alone = relative(made, [FIRST], MINE, alike=True)
    assert alone is not None and alone.value == pytest.approx(0.1 / 0.5)  # of a single set the unit does not matter
    # In these units the floor 'pool' ends with (0.05 + 0.2) / 2; assisted has 0.3, 0.175, 0.05, 0.15.
    assert labels_needed(made, [FIRST, SECOND], MINE, alike=True) == 100


def test_where_blind_choice_lacks_nothing_gaps_stay_as_they_are() -> None:
    made = board({("ONE", 5, *MINE): [[0.0] * 4] * 2}, (ONE,), blind={("ONE", 5): 0.0})
    assert made.scores(FIRST, MINE, alike=True).tolist() == [0.0, 0.0]


def test_several_k_are_averaged_as_sets_are() -> None:
    gaps = {("ONE", k, *entry): [[gap] * 4] * 2 for k, mine in ((5, 0.1), (10, 0.5)) for entry, gap in
            ((MINE, mine), (AFS, 0.4), (POOL, 0.6))}  # fmt: skip
    made = board(gaps, (ONE,), ks=(5, 10))
    found = relative(made, [(ONE, 5), (ONE, 10)], MINE)
    assert found is not None and found.value == pytest.approx((0.1 + 0.5) / (0.4 + 0.4))


def test_one_floor_for_all_sets_is_the_better_on_average() -> None:
    made = example()
    assert better_floor(made, [FIRST]) == AFS and better_floor(made, [SECOND]) == POOL
    assert better_floor(made, [FIRST, SECOND]) == POOL  # 0.6 against 0.7
    found = relative(made, [FIRST, SECOND], MINE, one_floor=True)
    assert found is not None and found.value == pytest.approx(0.4 / 1.2)


def test_intervals_hold_what_other_runs_would_have_given() -> None:
    found = relative(example(), [FIRST], MINE)
    assert found is not None
    # The runs of AFS have the mean gaps 0.4 and 0.6: drawn again, their mean is 0.4, 0.5 or 0.6.
    assert found.low == pytest.approx(0.1 / 0.6) and found.high == pytest.approx(0.1 / 0.4)


def test_labels_needed_is_the_first_count_as_good_as_afs_with_either_floor_at_the_end() -> None:
    made = example()
    assert labels_needed(made, [FIRST], MINE) == 50  # 0.1 is what the floor 'pool' ends with
    assert labels_needed(made, [SECOND], MINE) == 100
    assert labels_needed(made, [FIRST], BASE) == 151  # never
    assert labels_needed(made, [FIRST], ("dwus", "plug-in")) is None
    # Averaged over both, AFS ends with 0.15 ('pool'); assisted has 0.35, 0.2, 0.05.
    assert labels_needed(made, [FIRST, SECOND], MINE) == 100


def test_a_gap_of_zero_is_even_with_a_gap_of_zero() -> None:
    nothing = [[0.0] * 4] * 2
    made = board({("ONE", 5, *entry): nothing for entry in (AFS, POOL, MINE)}, (ONE,))
    made.gaps["ONE", 5, *BASE] = Bundle(np.ones((2, 4)))
    found, other = relative(made, [FIRST], MINE), relative(made, [FIRST], BASE)
    assert found is not None and (found.value, found.low, found.high) == (1.0, 1.0, 1.0)
    assert other is not None and other.value == np.inf


def test_without_afs_nothing_is_relative() -> None:
    made = board({("ONE", 5, *MINE): [[0.0] * 4] * 2}, (ONE,))
    assert relative(made, [FIRST], MINE) is None and better_floor(made, [FIRST]) is None
    assert "| assisted | assisted | – | – |" in "\n".join(main_table(made))


def test_against_random_is_a_difference_and_the_spread_of_its_runs() -> None:
    found = against_random(example(), FIRST)
    assert found is not None
    assert found[0] == pytest.approx(0.1 - 1.5) and found[1] == pytest.approx(np.std([1.0, 2.0], ddof=1))


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
    # Every set counts alike: (0.1 / 2 + 0.3) / (0.5 / 2 + 0.3).
    assert "0.64 [" in text and "- something was left out." in text
    assert "| assisted | assisted | **0.64 [" in short_table(example())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"runs": 0}, "runs must be at least 1"),
        ({"ks": (0,)}, "k must be at least 1"),
        ({"budget": 24}, "budget must be at least 25"),
        ({"sources": ()}, "nothing to run"),
    ],
)
def test_settings_that_cannot_be_run_are_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInputError, match=words):
        LeaderboardSettings(**{"sources": (ONE,), **change})


def test_small_tables_have_fewer_labels_and_no_k_above_half_of_the_features() -> None:
    settings = LeaderboardSettings((Source("TINY", 100, 12),))
    assert settings.budget_of(settings.sources[0]) == 80 and settings.ks_of(settings.sources[0]) == (5,)
    assert settings.measured_of(settings.sources[0]) == (25, 50)
