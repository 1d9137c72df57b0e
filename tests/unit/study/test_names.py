"""What rows are called: ids of any kind, and how a row is found by what people write."""

import uuid
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from activefs import Pool, Study
from activefs.exceptions import InvalidInputError, StorageError
from activefs.storages import MemoryStorage
from activefs.testing import random_problem

PROBLEM = random_problem(3, (2, 3, 4), rows=30)
OPTIONS: dict[str, Any] = {
    "k": 1,
    "strategy": "afs",
    "random_state": 0,
    "id_column": "name",
    "when_certified": "continue",
}


def table(ids):
    return pd.DataFrame(PROBLEM.X, columns=list("abc")).assign(name=ids)


KINDS = {
    "date": [date(2024, 1, 1) + timedelta(days=i) for i in range(30)],
    "datetime": np.array(["2024-01-01T10:00"], dtype="datetime64[s]") + np.arange(30),
    "timedelta": np.arange(30).astype("timedelta64[s]"),
    "Decimal": [Decimal(i) / 10 for i in range(30)],
    "UUID": [uuid.UUID(int=i) for i in range(30)],
    "bytes": [b"%d" % i for i in range(30)],
    "tuple": [("ward", i) for i in range(30)],
}


class TestKinds:
    @pytest.mark.parametrize("kind", KINDS)
    def test_any_kind_of_id_names_rows(self, tmp_path, kind):
        frame = table(KINDS[kind])
        with Study.create(tmp_path / "study.db", frame, **OPTIONS) as study:
            row = study.ask()
            study.tell(row, "yes")
            name = study.name_of(row)
        with Study.open(tmp_path / "study.db", frame) as study:
            assert study.name_of(row) == name == study.export_csv().split("\n")[1].split(",yes,")[0].strip('"')
            assert study.take_back(row=name).row == row

    def test_dates_are_written_as_in_the_table(self):
        study = Study.create(MemoryStorage(), table(KINDS["date"]), **OPTIONS)
        assert study.name_of(0) == "2024-01-01"

    def test_a_line_end_may_come_as_forms_of_browsers_send_it(self):
        study = Study.create(MemoryStorage(), table([f"ward\n{i}" for i in range(30)]), **OPTIONS)
        assert study.engine.names.row("ward\r\n7") == study.engine.names.row("ward\n7") == 7


class Full(MemoryStorage):
    full = True

    def name_rows(self, names):
        if self.full:
            raise StorageError("the disk is full")
        super().name_rows(names)


class TestCreating:
    def test_names_that_could_not_be_kept_are_kept_later(self):
        frame, place = table(range(100, 130)), Full()
        assert Study.create(place, frame, **OPTIONS).name_of(29) == 129
        place.full = False
        Study.open(place, frame)
        assert place.row_names([29]) == {29: 129}

    def test_a_wrong_annotator_leaves_nothing_behind(self, tmp_path):
        with pytest.raises(InvalidInputError, match="annotator"):
            Study.create(tmp_path / "study.db", table(range(30)), **OPTIONS, annotator=" ")
        assert not list(tmp_path.iterdir())

    def test_a_pool_is_no_table(self, tmp_path):
        with pytest.raises(InvalidInputError, match="give it the table itself"):
            Study.create(tmp_path / "study.db", Pool.from_table(PROBLEM.X), k=1)
        assert not list(tmp_path.iterdir())


class TestFinding:
    @pytest.mark.parametrize(
        ("ids", "row", "written"),
        [
            (range(100, 130), 4, [104, "104", "0104", 104.0, "104.0", " 104 ", np.int64(104)]),
            (np.arange(30) * 1.0, 7, [7.0, "7.0", 7, "7", "07", "7.00"]),
            (np.arange(30) / 10, 7, [0.7, "0.7", "00.70"]),
            ([f"{i:03d}" for i in range(30)], 5, ["005", 5, "5", "05", 5.0]),
            ([f"e\u0301 {i}" for i in range(30)], 5, ["\u00e9 5", " e\u0301 5\t"]),
        ],
    )
    def test_by_text_else_by_number(self, ids, row, written):
        names = Study.create(MemoryStorage(), table(ids), **OPTIONS).engine.names
        assert [names.row(name) for name in written] == [row] * len(written)
        for wrong in ("x", "", "1e2", "nan", "-5", "1_0", 500, "\u0665", True, "5 5"):
            with pytest.raises(InvalidInputError, match="no row with the id"):
                names.row(wrong)

    def test_the_text_decides_where_two_are_one_number(self):
        ids = ["5", "05", *(f"P{i}" for i in range(28))]
        names = Study.create(MemoryStorage(), table(ids), **OPTIONS).engine.names
        assert (names.row("5"), names.row(5), names.row("05")) == (0, 0, 1)
        with pytest.raises(InvalidInputError, match="no row with the id '005'"):
            names.row("005")

    def test_positions(self):
        study = Study.create(MemoryStorage(), PROBLEM.X, **{**OPTIONS, "id_column": None})
        assert [study.engine.names.row(name) for name in (9, "9", "09", 9.0, "9.0", " 9")] == [9] * 6
        for wrong in (30, -1, "-1", 9.5, "9.5", "x", "", "1e1", "\u0665", 10**30, True):
            with pytest.raises(InvalidInputError, match="numbered from 0 to 29"):
                study.engine.names.row(wrong)

    def test_leading_zeros_of_a_file(self, tmp_path):
        lines = [f"{i:03d},{','.join(map(str, row))}" for i, row in enumerate(PROBLEM.X.tolist())]
        (tmp_path / "t.csv").write_text("\n".join(["name,a,b,c", *lines]))
        with Study.create(tmp_path / "study.db", tmp_path / "t.csv", **OPTIONS) as study:
            assert study.import_csv("row,label\n005,yes\n017,no\n") == 2
            assert study.labelled.tolist() == [5, 17]
            assert study.take_back(row="005").row == 5
