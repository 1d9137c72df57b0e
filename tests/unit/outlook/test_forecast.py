"""When it will be done."""

import json
from typing import Any

import numpy as np
import pytest

from activefs.outlook import Forecast, connection, forecast

COUNTS = (10, 15, 20, 25, 30, 35, 40, 45, 50)
USUAL: dict[str, Any] = {"k": 5, "total": 0.5, "rows_left": 1000}


def falling(rate=1.0, start=2.0, counts=COUNTS):
    return [(n, start * n**-rate) for n in counts]


def test_a_gap_that_falls_is_foreseen():
    found = forecast(falling(), **USUAL)
    assert found.least is not None and found.more is not None and found.most is not None
    assert found.state == "ahead" and found.more in range(10, 60) and found.least < found.more < found.most
    assert found.more % 5 == 0 and found.target == pytest.approx(0.025)
    assert found.sentence == (
        f"about {found.more} more labels ({found.least} to {found.most}) until the 5 features are expected to lack "
        "less than 0.025 nats together, 5% of what they tell"
    )
    labels, gaps = zip(*found.line, strict=True)
    assert labels[0] == 50 and labels[-1] == 50 + found.more and gaps[-1] == pytest.approx(found.target)
    assert list(gaps) == sorted(gaps, reverse=True)


def test_it_finds_the_end_of_laws_that_it_does_not_know():
    for rate, start in ((1.0, 2.0), (1.5, 20.0), (0.7, 0.5)):
        true = (start / 0.01) ** (1 / rate)
        counts = [n for n in range(10, 2000, 5) if n < 0.5 * true]
        found = forecast(falling(rate, start, counts), **USUAL, target=0.01)
        assert found.more is not None and 1 / 3 < found.more / (true - counts[-1]) < 3


@pytest.mark.parametrize(
    ("points", "options", "state", "said"),
    [
        (falling(start=0.5), {}, "there", "already there: the 5 features are expected to lack 0.010 nats, less than"),
        ([(n, 0.2) for n in COUNTS], {}, "unclear", "the expected gap has not fallen so far"),
        ([(n, 0.01 * n) for n in COUNTS], {}, "unclear", "the expected gap has not fallen so far"),
        (falling()[:4], {}, "unclear", "too few labels to say (25 so far)"),
        (falling()[-2:], {}, "unclear", "not foreseeable yet"),
        (falling(), {"rows_left": 7}, "beyond", "more labels than the 7 rows that are left"),
        (falling(0.2), {}, "far", "more than 10 times as many labels as so far until"),
        (falling(), {"budget_left": 5}, "ahead", "; the budget has 5 left"),
        (
            falling(),
            {"k": 1},
            "ahead",
            "until the feature is expected to lack less than 0.025 nats, 5% of what it tells",
        ),
        (falling(), {"criterion": "gini"}, "ahead", "less than 0.025 together"),
        (falling(), {"target": 0.03}, "ahead", "less than 0.030 nats together"),
        (falling(), {"informative": False}, "unknown", "no connection found: with 50 labels"),
        ([(12, 0.3)], {"informative": False}, "unknown", "too few labels to say: 12 so far"),
        ([(0, 0.0)], {"arbitrary": "there is no label yet"}, "unknown", "too few labels to say: there is no label yet"),
    ],
)
def test_every_other_case_is_said(points, options, state, said):
    found = forecast(points, **{**USUAL, **options})
    assert found.state == state and said in str(found)
    assert Forecast.from_json(json.loads(json.dumps(found.to_json()))) == found


def test_gaps_of_zero_do_no_harm():
    points = [*falling()[:-2], (45, 0.0), (50, 0.04)]
    assert forecast(points, **USUAL).more is not None
    assert np.isfinite(forecast(points, **USUAL).line[-1][1])


def test_too_few_labels_and_no_connection_are_two_things():
    assert connection(29, False).startswith("too few labels") and connection(30, False).startswith("no connection")
    assert connection(500, True) == "" and connection(500, True, "why") == "too few labels to say: why"
