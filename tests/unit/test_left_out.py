"""Columns in which nearly every row has a value of its own are left out, with a warning that says how to keep them."""

import warnings

import numpy as np
import pandas as pd
import pytest

from activefs import ActiveFeatureSelector, Pool, Session, Study
from activefs.exceptions import InvalidInputError, LeftOutWarning
from activefs.storages import MemoryStorage
from activefs.tables import LeftOut
from activefs.tables._names import looks_like_names

RNG = np.random.default_rng(0)
UNIQUE = "nearly every row has a value of its own"
NAMES = "nearly every row has a text of its own"
TEXT = "free text that hardly ever repeats"


def once_twice(values):
    """One value stands for two rows: as an id looks after somebody copied a line."""
    again = np.array(values)
    again[-1] = again[0]
    return again


def table(rows, **columns):
    return pd.DataFrame({**columns, "x": np.arange(rows) % 3})


def left_out(frame, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)
        return {column.name: column.why for column in Pool.from_table(frame, **options).left_out}


IDS = {
    "text": lambda n: [f"p{i:05d}" for i in range(n)],
    "text with one twice": lambda n: once_twice([f"p{i:05d}" for i in range(n)]),
    "counter": lambda n: np.arange(n),
    "counter with one twice": lambda n: once_twice(np.arange(n)),
    "counter in another order": lambda n: RNG.permutation(n) + 10_000,
    "counter as floats": lambda n: np.arange(n, dtype=float),
}


@pytest.mark.parametrize("rows", [20, 21, 60, 100, 1000])
@pytest.mark.parametrize("kind", IDS)
def test_ids(kind, rows):
    why = NAMES if kind.startswith("text") else UNIQUE
    assert left_out(table(rows, id=IDS[kind](rows))) == {"id": why}


@pytest.mark.parametrize("rows", [100, 1000])
def test_numbers_that_hardly_repeat(rows):
    numbers = np.sort(RNG.permutation(10 * rows)[:rows])  # as people are registered, some of them elsewhere
    assert left_out(table(rows, id=numbers)) == {"id": UNIQUE}
    assert left_out(table(rows, id=once_twice(numbers))) == {"id": UNIQUE}
    few = numbers % int(0.94 * rows)  # amounts that do repeat
    assert left_out(table(rows, amount=few)) == {}


def test_text():
    notes = [f"patient number {i} came in on a rainy day and left" for i in range(300)]
    assert left_out(table(300, note=notes)) == {"note": TEXT}
    assert left_out(table(300, note=notes[:151] + notes[:149])) == {"note": TEXT}
    assert left_out(table(300, note=notes[:150] * 2)) == {}, "half of them repeat"


@pytest.mark.parametrize("rows", [5, 19])
def test_toys_are_taken_as_they_are(rows):
    pool = Pool.from_table(table(rows, id=np.arange(rows), name=[f"n{i}" for i in range(rows)]))
    assert pool.names == ("id", "name", "x")


def test_small_tables_may_have_distinct_amounts():
    ages = np.sort(RNG.permutation(70)[:30]) + 18
    pool = Pool.from_table(table(30, age=ages))
    assert pool.names == ("age", "x") and pool.cardinalities.tolist() == [10, 3]


def test_reals_never_are_ids():
    assert left_out(table(1000, weight=RNG.normal(size=1000), huge=RNG.permutation(1000) * 1e20)) == {}


def test_shares_at_the_border():
    rows = np.arange(200)
    assert looks_like_names(rows[:190], 200) == "id"
    assert looks_like_names(rows[:189], 200) is None
    words = np.array([f"w{i}" for i in rows], dtype=object)
    assert looks_like_names(words[:101], 200) == "name"
    assert looks_like_names(words[:100], 200) is None
    assert looks_like_names(rows % 2 == 0, 200) is None


def test_missing_values_do_not_hide_an_id():
    frame = table(200, id=[None if i == 7 else f"p{i}" for i in range(200)])
    assert left_out(frame) == {"id": NAMES}
    assert left_out(frame, missing="value") == {"id": NAMES}


def test_a_million_distinct_strings():
    rows = 1_000_000
    assert left_out(pd.DataFrame({"s": np.arange(rows).astype(str), "x": np.arange(rows) % 2})) == {"s": NAMES}


def test_constant_columns_are_listed_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pool = Pool.from_table(table(200, one=1, none=[None] * 200), missing="value")
    assert pool.left_out == (LeftOut("one", "one value only"), LeftOut("none", "one value only"))


FRAME = table(
    200, id=np.arange(200), visits=once_twice(RNG.permutation(5000)[:200]), mail=[f"m{i}" for i in range(200)]
)
LABELS = FRAME["x"].tolist()


@pytest.mark.parametrize("taker", ["pool", "session", "selector", "study"])
def test_everybody_warns_once_and_says_what_to_do(taker):
    with pytest.warns(LeftOutWarning) as caught:
        if taker == "pool":
            Pool.from_table(FRAME)
        elif taker == "session":
            Session(FRAME, 1)
        elif taker == "selector":
            ActiveFeatureSelector(k=1, budget=12, strategy="random").fit(FRAME, LABELS)
        else:
            storage = MemoryStorage()
            Study.create(storage, FRAME, 1)
    (warning,) = [w for w in caught if w.category is LeftOutWarning]
    said = str(warning.message)
    assert said.startswith(f"left out: id ({UNIQUE}), visits ({UNIQUE}), mail ({NAMES}). To keep one of them, say ")
    assert "binning={'id': 'kmeans'}" in said and "categorical=['id']" in said and "ignore=['id']" in said
    if taker != "selector":
        assert warning.filename == __file__
    if taker == "study":
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            Study.open(storage, FRAME).close()


def test_what_is_said_about_a_column_keeps_it():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pool = Pool.from_table(FRAME, binning={"id": "kmeans"}, bins={"visits": 4}, categorical=["mail"])
        assert pool.names == ("id", "visits", "mail", "x")
        assert pool.cardinalities.tolist() == [10, 4, 200, 3]
        assert Pool.from_table(FRAME, ignore=["id", "visits", "mail"]).names == ("x",)
        assert Pool.from_table(FRAME, ignore=["id", "mail"], binning={"visits": "none"}).cardinalities[0] == 199
        assert Pool.from_table(FRAME, binning="none").cardinalities.tolist() == [200, 199, 200, 3]


@pytest.mark.filterwarnings("ignore::activefs.exceptions.LeftOutWarning")
def test_nothing_is_left():
    nothing = FRAME[["id", "mail"]].assign(one=1)
    with pytest.raises(
        InvalidInputError, match=rf"no column is left.*id \({UNIQUE}\), mail .*named in binning=\.\.\. or cat"
    ):
        Session(nothing, 1)
    with pytest.raises(InvalidInputError, match="no column is left"):
        ActiveFeatureSelector(k=1).fit(nothing, LABELS)
    with pytest.raises(InvalidInputError, match=r"only 1 of the 4 columns can be features; left out: id .*named in"):
        Session(FRAME, 2)


def test_text_is_not_binned():
    frame = pd.DataFrame({"x": [f"P{i}" for i in range(400)], "b": [0, 1] * 200})
    with pytest.warns(LeftOutWarning, match=r"say categorical=\['x'\] if its values are categories, or make numbers"):
        Pool.from_table(frame)
    for said in ({"binning": {"x": "kmeans"}}, {"bins": {"x": 4}}):
        with pytest.raises(InvalidInputError, match=r"bins are for numbers, but column 'x' .* hold text"):
            Pool.from_table(frame, **said)
