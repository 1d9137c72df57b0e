"""A table that is read in chunks becomes what it becomes in memory, however it is cut."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from in_pieces import encode_parts, same_as_in_memory

MAKERS = {
    "int8": lambda rng, n: pa.array(rng.integers(-3, 4, n), pa.int8()),
    "uint16": lambda rng, n: pa.array(rng.integers(0, 60_000, n), pa.uint16()),
    "grey": lambda rng, n: pa.array(rng.integers(0, 256, n), pa.uint8()),
    "few far": lambda rng, n: pa.array(rng.integers(-4, 4, n) * 10**15),
    "amounts": lambda rng, n: pa.array(np.round(rng.lognormal(5, 2, n))),
    "ids": lambda rng, n: pa.array(rng.permutation(n) + 10**6),
    "beyond": lambda rng, n: pa.array(2**60 + rng.integers(0, 1000, n) ** 2),
    "negative": lambda rng, n: pa.array(-(2**62) + rng.integers(0, 10**17, n) // 4 * 4),
    "uint64": lambda rng, n: pa.array(rng.integers(2**63 - 50, 2**63 + 50, n, dtype=np.uint64)),
    "uint64 few": lambda rng, n: pa.array(rng.integers(2**63 - 2, 2**63 + 2, n, dtype=np.uint64)),
    "real": lambda rng, n: pa.array(rng.normal(size=n)),
    "halves": lambda rng, n: pa.array(rng.integers(0, 40, n) / 2, pa.float32()),
    "half": lambda rng, n: pa.array((rng.integers(0, 40, n) / 2).astype(np.float16)),
    "whole": lambda rng, n: pa.array(rng.integers(0, 30, n).astype(float)),
    "zeros": lambda rng, n: pa.array(np.where(rng.random(n) < 0.5, -0.0, rng.integers(0, 3, n))),
    "two noughts": lambda rng, n: pa.array(rng.choice([-0.0, 0.0, 0.5], n)),
    "two noughts of many": lambda rng, n: pa.array(
        np.where(rng.random(n) < 0.7, rng.choice([-0.0, 0.0], n), rng.normal(size=n))
    ),
    "bool": lambda rng, n: pa.array(rng.random(n) < 0.3),
    "text": lambda rng, n: pa.array([f"t{i}" for i in rng.integers(0, 12, n)]),
    "large": lambda rng, n: pa.array([f"ü{i}" for i in rng.integers(0, 300, n)], pa.large_string()),
    "names": lambda rng, n: pa.array([f"n{i}" for i in range(n)]),
    "notes": lambda rng, n: pa.array([f"seen on day {i} again" for i in range(n)]),
    "dictionary": lambda rng, n: pa.array(rng.choice(["a", "b", "c"], n)).dictionary_encode(),
    "ordered": lambda rng, n: pa.DictionaryArray.from_arrays(
        pa.array(rng.integers(0, 3, n), pa.int8()), pa.array(["low", "mid", "high", "never"]), ordered=True
    ),
    "of ints": lambda rng, n: pa.array(rng.integers(0, 5, n)).dictionary_encode(),
    "constant": lambda rng, n: pa.array([7] * n),
    "decimal": lambda rng, n: pa.array(rng.integers(0, 500, n)).cast(pa.decimal128(24, 2)),
    "date": lambda rng, n: pa.array(rng.integers(0, 500, n), pa.int32()).cast(pa.date32()),
    "time": lambda rng, n: pa.array(rng.integers(0, 500, n)).cast(pa.timestamp("s")),
    "bytes": lambda rng, n: pa.array([b"x", b"y"] * (n // 2) + [b"z"] * (n % 2)),
    "nothing": lambda rng, n: pa.nulls(n),
    "endless": lambda rng, n: pa.array(np.where(rng.random(n) < 0.02, np.inf, rng.random(n))),
    "lists": lambda rng, n: pa.array([[1], [2]] * (n // 2) + [[3]] * (n % 2)),
}
PROBLEMS = {"date", "time", "bytes", "endless", "lists"}


def with_holes(array, rng, share):
    return array.take(pa.array(np.arange(len(array)), mask=rng.random(len(array)) < share))


def cut(table, rng, parts):
    ends = np.sort(rng.integers(0, table.num_rows + 1, parts - 1))
    starts = [0, *ends.tolist()]
    return [table.slice(a, b - a) for a, b in zip(starts, [*starts[1:], table.num_rows], strict=True)]


@st.composite
def tables(draw, makers=tuple(MAKERS)):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n = draw(st.sampled_from([1, 2, 15, 19, 20, 60, 99, 100, 250, 700]))
    columns = {}
    for kind in draw(st.lists(st.sampled_from(makers), min_size=1, max_size=5, unique=True)):
        array = MAKERS[kind](rng, n)
        columns[kind] = with_holes(array, rng, 0.1) if draw(st.booleans()) and kind not in PROBLEMS else array
    return pa.table(columns), rng


@st.composite
def choices(draw, names):
    options = {
        "missing": draw(st.sampled_from(["error", "value", "value"])),
        "bins": draw(st.sampled_from([10, 10, 3, 300])),
    }
    options["binning"] = draw(st.sampled_from(["kmeans", "kmeans", "quantile", "uniform", "none"]))
    kind = draw(st.sampled_from(["", "", "ignore", "categorical", "binning"]))
    name = draw(st.sampled_from(names))
    if kind in ("ignore", "categorical"):
        options[kind] = [name]
    elif kind:
        options["binning"] = {name: draw(st.sampled_from(["kmeans", "none"]))}
    return options


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_as_in_memory_if_the_sample_is_the_table(data):
    table, rng = data.draw(tables())
    options = data.draw(choices(table.column_names))
    parts = cut(table, rng, data.draw(st.integers(1, 6)))
    result = encode_parts(parts, table, exact=True, order=rng.permutation(len(parts)), **options)
    assert result.passes == 1
    same_as_in_memory(table, result, **options)


DICTIONARIES = ("int8", "few far", "bool", "text", "dictionary", "ordered", "of ints", "constant", "zeros", "whole",
                "halves", "half", "nothing", "uint64 few", "date", "bytes", "endless", "lists")  # fmt: skip


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_dictionaries_are_as_in_memory_whatever_the_sample(data):
    table, rng = data.draw(tables(DICTIONARIES))
    options = data.draw(choices(table.column_names))
    parts = cut(table, rng, data.draw(st.integers(1, 6)))
    sample = table.slice(0, data.draw(st.integers(1, max(1, table.num_rows // 2))))
    result = encode_parts(parts, sample, exact=False, order=rng.permutation(len(parts)), **options)
    same_as_in_memory(table, result, **options)


@pytest.mark.parametrize("kind", sorted(set(MAKERS) - {"names", "notes"}))
@pytest.mark.parametrize("missing", [False, True])
def test_as_frames(kind, missing):
    """Partitions of pandas have other types than Arrow, and each may have its own."""
    rng = np.random.default_rng(3)
    array = MAKERS[kind](rng, 400)
    if missing and kind not in PROBLEMS:
        array = with_holes(array, rng, 0.1)
    frame = pa.table({"x": array}).to_pandas()
    parts = [frame.iloc[:100], frame.iloc[100:100], frame.iloc[100:250], frame.iloc[250:]]
    same_as_in_memory(frame, encode_parts(parts, frame, exact=True, missing="value"), missing="value")


class TestPartitionsThatDiffer:
    def test_categories(self):
        parts = [
            pd.DataFrame({"x": pd.Categorical(values)}) for values in (["a", "b"] * 20, ["c", "a"] * 20, ["b"] * 9)
        ]
        whole = pd.concat([part.astype(str) for part in parts])
        same_as_in_memory(whole, encode_parts(parts, parts[0], exact=False))

    def test_orders_that_agree_and_that_do_not(self):
        def part(categories):
            return pd.DataFrame({"x": pd.Categorical(categories * 10, categories=categories, ordered=True)})

        same = [part(["low", "mid", "high"]), part(["low", "mid", "high"])]
        assert encode_parts(same, same[0], exact=False).encoded.encodings[0].values == ("low", "mid", "high")
        other = [part(["low", "mid", "high"]), part(["high", "mid", "low"])]
        encoding = encode_parts(other, other[0], exact=False).encoded.encodings[0]
        assert encoding.values == ("high", "low", "mid") and encoding.ordered is None

    def test_integers_that_became_floats(self):
        parts = [pd.DataFrame({"x": [1, 2, 3]}), pd.DataFrame({"x": [1.0, None, 4.0]}), pd.DataFrame({"x": [5, 2, 1]})]
        result = encode_parts(parts, parts[0], exact=False, missing="value")
        same_as_in_memory(pd.concat(parts), result, missing="value")
        assert result.encoded.encodings[0].values == (1, 2, 3, 4, 5)

    def test_nothing_at_all_in_a_part(self):
        parts = [pd.DataFrame({"x": [None, None]}), pd.DataFrame({"x": ["a", "b"]}), pd.DataFrame({"x": [np.nan]}),
                 pd.DataFrame({"x": []})]  # fmt: skip
        for sample in parts[:2]:
            result = encode_parts(parts, sample, exact=False, missing="value")
            assert result.encoded.encodings[0].values == ("a", "b")
            assert result.codes.tolist() == [[2, 2, 0, 1, 2]]

    def test_another_type_in_a_later_part(self):
        parts = [pd.DataFrame({"x": [1, 2]}), pd.DataFrame({"x": ["a", "b"]})]
        problems = encode_parts(parts, parts[0], exact=False).encoded.problems
        assert problems == {"mixed": ["'x' (int and str, which differ first in row 2, in part 1)"]}

    def test_objects_of_several_types(self):
        parts = [pd.DataFrame({"x": [1, 2, 3]}), pd.DataFrame({"x": [4, "a", True]}, dtype=object)]
        problems = encode_parts(parts, parts[0], exact=False).encoded.problems
        assert problems == {"mixed": ["'x' (bool and int and str, which differ first in row 4, in part 1)"]}

    def test_columns_in_another_order(self):
        parts = [pd.DataFrame({"x": [1, 2], "y": ["a", "b"]}), pd.DataFrame({"y": ["b", "b"], "x": [2, 2]})]
        assert encode_parts(parts, parts[0], exact=False).codes.tolist() == [[0, 1, 1, 1], [0, 1, 1, 1]]

    def test_half_characters(self):
        parts = [pd.DataFrame({"x": ["a", "\ud800"]}, dtype=object), pd.DataFrame({"x": ["\ud800", "b"]}, dtype=object)]
        assert encode_parts(parts, parts[0], exact=False).encoded.encodings[0].values == ("a", "b", "\ud800")
