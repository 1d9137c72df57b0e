"""Which sets are averaged, and what is said about constants that were chosen on them."""

from __future__ import annotations

import pytest
from boards import flat

from activefs.exceptions import InvalidInputError
from activefs.experiments.leaderboard import (
    GROUPS,
    NAMES,
    UNTOUCHED,
    Board,
    beside_table,
    constants,
    find_sets,
    headline,
    main_table,
    named,
    report,
    short_table,
)

BETTER = (0.4, 0.5, 0.1, 0.6)  # AFS, its other floor, assisted, random


def of(*names: str, ks: tuple[int, ...] = (5,)) -> Board:
    sources = tuple(map(named, names))
    return flat({(name, k): BETTER for name in names for k in ks}, sources, ks=ks, budget=100)


def test_untouched_sets_are_those_on_which_nothing_was_chosen_or_looked_at_and_no_traps() -> None:
    assert UNTOUCHED.names == (
        "MNIST01", "MNIST46", "DIGITS35", "DIGITS17", "DIGITS89", "WINE0", "WINE1", "WINE2",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("run", "wanted"),
    [
        (["MUSK", "WINE0", "SONAR", "XOR", "BASEHOCK"], ["WINE0"]),
        (["MUSK", "SONAR", "XOR"], ["MUSK", "SONAR"]),
        (["XOR", "RARE"], ["XOR", "RARE"]),
    ],
)
def test_headline_is_of_untouched_sets_or_else_of_what_there_is(run: list[str], wanted: list[str]) -> None:
    made = of(*run)
    assert headline(made).run(made) == wanted and headline(made).alike


def test_headline_never_mixes_untouched_sets_of_one_k_with_others_of_another() -> None:
    made = of("WINE0", "SONAR", ks=(5, 10))  # WINE0 has too few features for k=10
    assert headline(made).ks(made) == [5]
    assert "k=10" not in main_table(made)[0]


def test_it_is_said_how_many_sets_are_averaged_for_each_k() -> None:
    made = of("DIGITS35", "DIGITS17", "WINE0", ks=(5, 10))
    assert ", 2 data sets (k=10), 3 data sets (k=5) and " in short_table(made)
    assert "WINE0 (WINE0: k=5 only), every set counting alike" in report(made, [])
    both = of("DIGITS35", "DIGITS17", ks=(5, 10))
    assert ", 2 data sets and " in short_table(both) and "only)" not in report(both, []).split("##")[0]


def test_constants_are_told_in_every_table_of_averages() -> None:
    made = of("WINE0", "PCMAC", "BASEHOCK", "SONAR", "SONAR-SHUFFLED")
    first = short_table(made)
    assert "1 data set and" in first and "No constant was chosen on it." in first
    assert first.endswith("on some or all of which constants were chosen, assisted + assisted has 0.25.\n")
    beside = "\n".join(beside_table(made))
    assert "| paper's sets, k=5 | tables, k=5 | shuffled tables, k=5 |" in beside
    assert "Constants were chosen on PCMAC; BASEHOCK was looked at." in beside
    assert "- *tables*: SONAR; every set counts alike. Constants were chosen on it." in beside
    text = report(made, [])
    assert "WINE0, every set counting alike" in text.split("##")[0] and "chosen on it." in text.split("##")[0]
    assert "| untouched sets | WINE0 | No constant was chosen on it. |" in text
    assert (
        "| paper's sets | BASEHOCK" not in text and "| paper's sets | PCMAC, BASEHOCK | Constants were chosen" in text
    )


def test_tables_have_both_k_together_beside_each_alone() -> None:
    made = of("SONAR", "CHURN", ks=(5, 10))
    assert "| tables, k=5 and 10 | tables, k=10 | tables, k=5 |" in beside_table(made)[4]


def test_without_other_sets_nothing_stands_beside() -> None:
    assert beside_table(of("WINE0", "XOR")) == []
    assert "some or all" not in short_table(of("WINE0"))


def test_constants_were_chosen_on_all_tables() -> None:
    assert constants(GROUPS["tables"]) == "Constants were chosen on all of them."


def test_groups_stand_for_their_sets() -> None:
    assert [s.name for s in find_sets("Paper, wine0")] == [*GROUPS["paper"], "WINE0"]
    assert len(find_sets("tables")) == 32 and {s.name for s in find_sets()} == set(NAMES)
    assert [s.name for s in find_sets("sonar,SONAR-shuffled,tables")][:3] == ["SONAR", "SONAR-SHUFFLED", "CHURN"]
    with pytest.raises(InvalidInputError, match=r"no data set 'IRIS' .* and the groups paper, traps, tables"):
        find_sets("IRIS")
