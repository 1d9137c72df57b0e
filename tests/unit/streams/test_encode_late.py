"""What turns up after the sample."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from in_pieces import check_cells, encode_parts, options_for, same_as_in_memory

from activefs.pool import read_pool
from activefs.streams import _coders as coders
from activefs.streams import _gathered as gathered
from activefs.streams import encode_chunk, finish, plan_columns
from activefs.streams._sketch import enter_numbers, enter_texts, estimate, new_registers
from activefs.tables import CONSTANT, WHY, LeftOut

RNG = np.random.default_rng(11)


def in_parts(table, rows):
    return [table.slice(at, rows) for at in range(0, table.num_rows, rows)]


def encoded_of(values, sample_rows, rows=500, **options):
    table = pa.table({"x": values})
    return encode_parts(in_parts(table, rows), table.slice(0, sample_rows), exact=False, **options)


class TestEdges:
    def test_edges_of_the_sample_counts_and_ranges_of_all(self):
        values = RNG.normal(size=5000)
        result = encoded_of(values, 1000)
        (encoding,) = result.encoded.encodings
        assert encoding.edges == read_pool(pa.table({"x": values[:1000]})).encodings[0].edges
        codes = np.searchsorted(encoding.edges, values, side="right")
        assert np.array_equal(result.codes[0], codes)
        assert encoding.ranges == tuple((values[codes == k].min(), values[codes == k].max()) for k in range(10))
        check_cells(result.encoded, result.codes)

    @pytest.mark.parametrize("bins", [10, 40])
    @pytest.mark.parametrize("kind", [np.int16, np.int32, np.uint32, np.int64, np.uint64, np.float32])
    def test_numbers_of_all_sizes(self, kind, bins):
        values = RNG.integers(0, 30_000, 4000).astype(kind)
        result = encoded_of(values, 1000, bins=bins)
        (encoding,) = result.encoded.encodings
        assert len(encoding.ranges) == bins and all(isinstance(end, int) for pair in encoding.ranges for end in pair)
        assert np.array_equal(result.codes[0], np.searchsorted(encoding.edges, values, side="right"))
        assert encoding.ranges[0][0] == values.min() and encoding.ranges[-1][1] == values.max()

    def test_a_late_fraction_makes_the_column_real(self):
        values = RNG.integers(0, 900, 2000).astype(float)
        assert all(isinstance(low, int) for low, _ in encoded_of(values, 1000).encoded.encodings[0].ranges)
        values[1500] = 17.5
        (encoding,) = encoded_of(values, 1000).encoded.encodings
        assert all(isinstance(low, float) and isinstance(high, float) for low, high in encoding.ranges)

    def test_numbers_beyond_the_floats_are_told_apart(self):
        values = 2**62 + RNG.integers(0, 1000, 3000)
        values[2500] = -5  # smaller than the smallest of the sample
        result = encoded_of(values, 1000)
        (encoding,) = result.encoded.encodings
        assert encoding.ranges[0][0] == -5 and len(encoding.ranges) == 10
        ends = [end for pair in encoding.ranges for end in pair]
        assert ends == sorted(ends) and len(set(ends)) == 20
        for code, (low, high) in enumerate(encoding.ranges):
            inside = values[result.codes[0] == code]
            assert (inside.min(), inside.max()) == (low, high)

    def test_integers_and_floats_in_turn(self):
        values = RNG.integers(0, 900, 1500)
        parts = [pd.DataFrame({"x": values[:500]}), pd.DataFrame({"x": values[500:1000].astype(float)}),
                 pd.DataFrame({"x": values[1000:].astype(np.int32)})]  # fmt: skip
        parts[1].loc[3, "x"] = np.nan
        result = encode_parts(parts, parts[0], exact=False, missing="value")
        (encoding,) = result.encoded.encodings
        assert encoding.missing and result.encoded.counts[0][-1] == 1
        assert all(isinstance(low, int) for low, _ in encoding.ranges)


class TestProblems:
    def test_one_missing_value_after_all_the_others(self):
        values: list[float | None] = [float(v) for v in RNG.integers(0, 9, 2000)]
        values[1999] = None
        problems = encoded_of(pa.array(values), 100).encoded.problems
        assert problems == {"missing": ["'x' (1 missing, the first in row 1,999, in part 3)"]}

    @pytest.mark.parametrize("many", [False, True])
    def test_nan_counts_as_null_does(self, many):
        values = RNG.normal(size=2000) if many else RNG.integers(0, 9, 2000).astype(float)
        values[[700, 1700]] = np.nan
        problems = encoded_of(values, 500).encoded.problems
        assert problems == {"missing": ["'x' (2 missing, the first in row 700, in part 1)"]}

    @pytest.mark.parametrize("many", [False, True])
    def test_infinite(self, many):
        values = RNG.normal(size=2000) if many else RNG.integers(0, 9, 2000).astype(float)
        values[1234] = -np.inf
        problems = encoded_of(values, 500, missing="value").encoded.problems
        assert problems == {"infinite": ["'x' (infinite values, the first in row 1,234, in part 2)"]}

    def test_text_and_bins(self):
        values = [f"t{i}" for i in RNG.integers(0, 5, 600)]
        assert list(encoded_of(values, 100, binning={"x": "kmeans"}).encoded.problems) == ["bins"]

    def test_whole_numbers_beyond_64_bits(self):
        parts = [pd.DataFrame({"x": [-1, 2]}), pd.DataFrame({"x": np.array([2**63, 2], dtype=np.uint64)})]
        assert list(encode_parts(parts, parts[0], exact=False).encoded.problems) == ["mixed"]


class TestNovelties:
    def test_new_categories(self):
        values = pa.array(["b", "d"] * 300 + ["a", "c", "b"] * 100)
        result = encoded_of(values, 50, rows=250)
        same_as_in_memory(pa.table({"x": values}), result)
        assert result.passes == 1

    def test_late_numbers_change_all_bins(self):
        values = np.concatenate([RNG.integers(0, 20, 1000), RNG.integers(0, 100, 1000)])
        result = encoded_of(values, 500)
        same_as_in_memory(pa.table({"x": values}), result)

    def test_what_was_constant_in_the_sample(self):
        values = np.concatenate([np.zeros(1000), RNG.integers(0, 3, 1000) / 2])
        same_as_in_memory(pa.table({"x": values}), encoded_of(values, 500))
        assert encoded_of(np.zeros(1000), 500).encoded.left_out == [LeftOut("x", CONSTANT)]

    @pytest.mark.parametrize("holes", [False, True])
    def test_one_byte_is_not_enough(self, holes):
        values = np.array([f"t{i}" for i in np.concatenate([RNG.integers(0, 100, 500), RNG.integers(0, 400, 3000)])])
        table = pa.table({"x": pa.array(values, mask=RNG.random(3500) < 0.1 if holes else None), "y": values})
        result = encode_parts(in_parts(table, 500), table.slice(0, 200), exact=False, missing="value")
        assert result.passes == 2
        same_as_in_memory(table, result, missing="value")

    def test_numbers_that_do_not_fit_into_a_byte_are_binned_as_in_memory(self):
        values = np.concatenate([RNG.integers(0, 100, 500), RNG.integers(0, 2000, 3000)])
        result = encoded_of(values, 200)
        assert result.passes == 2
        same_as_in_memory(pa.table({"x": values}), result)

    def test_numbers_beyond_a_dictionary_are_binned_by_edges(self, monkeypatch):
        for module in (coders, gathered):
            monkeypatch.setattr(module, "MAX_VALUES", 1000)
        values = np.concatenate([np.zeros(500), RNG.normal(size=4000)])
        result = encoded_of(values, 200)
        assert result.passes == 2
        (encoding,) = result.encoded.encodings
        assert len(encoding.ranges) == 10 and sum(result.encoded.counts[0]) == 4500
        check_cells(result.encoded, result.codes)


class TestNames:
    def test_numbers_that_repeat_only_in_the_whole_table_are_no_ids(self):
        values = RNG.integers(0, 20_000, 200_000)
        result = encoded_of(values, 500, rows=50_000)
        assert result.encoded.names == ["x"] and not result.encoded.left_out

    def test_ids(self):
        values = RNG.permutation(200_000)
        for given in (values, values.astype(float)):
            result = encoded_of(given, 500, rows=50_000)
            assert result.encoded.left_out == [LeftOut("x", WHY["id"])] and not result.encoded.kept

    def test_a_fraction_after_the_sample_makes_an_id_an_amount(self):
        values = RNG.permutation(20_000).astype(float)
        values[19_000] += 0.5
        assert encoded_of(values, 500, rows=5000).encoded.names == ["x"]

    def test_names_are_left_out_although_values_are_missing(self):
        values = pa.array(RNG.permutation(20_000), mask=RNG.random(20_000) < 0.1)
        assert encoded_of(values, 500, rows=5000).encoded.left_out == [LeftOut("x", WHY["id"])]

    @pytest.mark.parametrize(("text", "why"), [("n{}", "name"), ("seen {} on a day", "text")])
    def test_texts_beyond_a_dictionary(self, text, why):
        values = pa.array([text.format(i) for i in range(70_000)])
        assert encoded_of(values, 500, rows=35_000).encoded.left_out == [LeftOut("x", WHY[why])]

    @pytest.mark.parametrize("text", ["n{}", "seen {} on a day"])
    def test_more_texts_in_the_sample_than_are_ever_kept(self, text):
        values = pa.array([text.format(i) for i in range(140_000)])
        for table in (pa.table({"x": values}), pa.table({"x": pa.chunked_array([values, values[:100_000]])})):
            same_as_in_memory(table, encode_parts(in_parts(table, 100_000), table, exact=True))
            result = encode_parts(in_parts(table, 100_000), table.slice(0, 135_000), exact=False)
            same_as_in_memory(table, result)

    def test_many_texts_that_repeat(self):
        values = pa.array([f"n{i}" for i in RNG.integers(0, 70_000, 400_000)])
        said = encoded_of(values, 500, rows=100_000).encoded.problems["many"][0]
        assert said.startswith("'x' (about ") and abs(int(said.split()[2].replace(",", "")) - 69_770) < 2500

    def test_as_many_texts_as_there_may_be(self):
        values = pa.array([f"n{i}" for i in np.tile(np.arange(65_535), 3)])
        result = encoded_of(values, 65_535, rows=100_000)
        assert result.encoded.encodings[0].n_values == 65_535
        assert encoded_of(values, 500, rows=100_000).encoded.encodings[0].n_values == 65_535

    def test_many_numbers_that_are_to_be_kept(self):
        values = np.tile(np.arange(70_000), 3)
        assert list(encoded_of(values, 500, rows=100_000, binning="none").encoded.problems) == ["many"]
        assert list(encoded_of(values, 70_000, rows=100_000, categorical=["x"]).encoded.problems) == ["many"]


def test_sketches_are_right_within_one_percent_and_add_up():
    numbers, texts = new_registers(), new_registers()
    for at in range(0, 600_000, 100_000):
        part = new_registers()
        enter_numbers(np.arange(at, at + 150_000), part)
        np.maximum(numbers, part, out=numbers)
        enter_texts(pa.array([f"patient {i}" for i in range(at // 10, at // 10 + 15_000)]), texts)
    assert abs(estimate(numbers) / 650_000 - 1) < 0.01
    assert abs(estimate(texts) / 65_000 - 1) < 0.01
    as_floats = new_registers()
    enter_numbers(np.arange(0, 650_000, dtype=float), as_floats)
    assert np.array_equal(as_floats, numbers)


def test_marks_do_not_depend_on_the_chunks():
    table = pa.table({"x": RNG.integers(0, 5, 3000), "y": RNG.choice(["a", "b"], 3000)})
    plans = plan_columns(table, options_for(table.column_names), exact=True)
    marks = []
    for rows in (3000, 700, 64):
        chunks = [encode_chunk(plans, [part], i * rows) for i, part in enumerate(in_parts(table, rows))]
        marks.append(finish(plans, [chunk.facts for chunk in reversed(chunks)]).marks)
    for other in marks[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(marks[0], other, strict=True))
