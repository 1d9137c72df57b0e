"""Which classes may have been meant by a label that is new."""

import pytest

from activefs.study import similar_classes

CLASSES: list[str | int] = [
    "healthy",
    "ill",
    "Crohn's disease",
    "Café-au-lait",
    "type 1",
    "type 2",
    "漢字",
    10,
    "a",
    "not sure",
]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("helthy", "healthy"),
        ("HEALTHY", "healthy"),
        ("heal thy", "healthy"),
        ("haelthy", "healthy"),
        ("healthyy", "healthy"),
        ("healt", "healthy"),
        ("crohns disease", "Crohn's disease"),
        ("chrons disease", "Crohn's disease"),
        ("cafe au lait", "Café-au-lait"),
        ("Type1", "type 1"),
        ("漢 字", "漢字"),
        ("10.", 10),
        ("notsure", "not sure"),
    ],
)
def test_slips_find_their_class(said, meant):
    assert similar_classes(said, CLASSES)[0] == meant


@pytest.mark.parametrize("said", ["zebra", "?", "ok", "", "   ", "🙂"])
def test_something_else_finds_none(said):
    assert similar_classes(said, CLASSES) == []


def test_few_are_offered_also_of_many():
    many = [f"kind {i}" for i in range(300)]
    assert len(similar_classes("kind", many)) == 5
    assert similar_classes("kinf 17", many)[0] == "kind 17"
