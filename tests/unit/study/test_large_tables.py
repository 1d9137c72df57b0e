"""Studies on tables that are read in pieces: the same as on tables in memory."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from platforms import needs_deleting

from activefs import Study
from activefs.exceptions import InvalidInputError, StudyMismatchError
from activefs.storages import MemoryStorage
from activefs.streams import _fits
from activefs.streams._parquet_source import ParquetSource
from activefs.study import _names, _open, _source, open_engine
from activefs.study._contents import MemoryContents, StreamedContents
from activefs.study._table import StudyTable


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACTIVEFS_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing fit into memory."""
    monkeypatch.setattr(_fits, "MOST_CELLS", 0)
    monkeypatch.setattr(_source, "_LARGE", 0)


def frame(rows: int = 240) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "patient": [f"p{i:04}" for i in range(rows)],
            "age": rng.integers(18, 90, rows),
            "sex": rng.choice(["f", "m"], rows),
            "dose": rng.normal(size=rows).round(2),
            "smoker": rng.random(rows) < 0.3,
            "note": [f"came on day {i % 30}, and said {'nothing' * (i % 3)}" for i in range(rows)],
            "photo": [f"https://example.org/{i}.png" if i % 2 else None for i in range(rows)],
        }
    )


def written(table: pd.DataFrame, path: Path, row_group_size: int = 50) -> Path:
    pq.write_table(pa.Table.from_pandas(table, preserve_index=False), path, row_group_size=row_group_size)
    return path


OPTIONS: dict[str, Any] = {
    "k": 2, "id_column": "patient", "show_text": "note", "show_media": ["photo"], "classes": ["ill", "healthy"],
    "random_state": 0, "missing": "value",
}  # fmt: skip


def answered(study: Study, count: int) -> list[int]:
    rows = []
    for _ in range(count):
        row = study.ask()
        study.tell(row, "ill" if int(study.name_of(row)[1:]) % 3 else "healthy")
        rows.append(row)
    return rows


def test_the_same_questions_names_and_cells_as_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(frame(), tmp_path / "patients.parquet")
    with Study.create(MemoryStorage(), path, **OPTIONS) as study:
        assert isinstance(study.engine.table._contents, MemoryContents)
        rows = answered(study, 20)
        table = study.engine.table
        seen = [(table.cells(row), table.text_of(row), table.media_of(row)) for row in rows]
        names, hosts, fingerprint = [study.name_of(row) for row in rows], table.media_hosts, table.fingerprint
        exported = table.rows(rows).to_pydict()
    monkeypatch.setattr(_fits, "MOST_CELLS", 0)
    monkeypatch.setattr(_source, "_LARGE", 0)
    with Study.create(MemoryStorage(), path, **OPTIONS) as study:
        assert isinstance(study.engine.table._contents, StreamedContents) and study.pool.kind == "mapped"
        assert answered(study, 20) == rows
        table = study.engine.table
        assert [(table.cells(row), table.text_of(row), table.media_of(row)) for row in rows] == seen
        assert [study.name_of(row) for row in rows] == names and table.media_hosts == hosts
        assert table.fingerprint == fingerprint and table.rows(rows).to_pydict() == exported


@pytest.mark.usefixtures("large")
def test_a_study_is_found_again_and_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    for part in range(3):
        written(frame().iloc[part * 80 : (part + 1) * 80], folder / f"{part}.parquet")
    place = tmp_path / "study.db"
    with Study.create(place, folder, **OPTIONS) as study:
        first = answered(study, 15)
    with Study.open(place) as study:
        assert study.pool.kind == "mapped" and study.n_labels == 15
        expected = study.ask()
    for same in (str(folder / "*.parquet"), f"file://{folder}", frame(), pl.from_pandas(frame()).lazy()):
        with Study.open(place, same) as study:
            assert (study.ask() if not study.pending else study.pending[0]) == expected
            assert study.take_back(row=study.name_of(first[-1])).row == first[-1]
            study.tell(first[-1], "ill" if int(study.name_of(first[-1])[1:]) % 3 else "healthy")
    folder.rename(tmp_path / "elsewhere")
    with pytest.raises(InvalidInputError, match=r"is not at .*parts any more"):
        Study.open(place)


@pytest.mark.usefixtures("large")
def test_another_table_is_refused_and_says_what_differs(tmp_path: Path) -> None:
    path = written(frame(), tmp_path / "patients.parquet")
    Study.create(tmp_path / "study.db", path, **OPTIONS).close()
    changed = frame()
    doses = changed["dose"].to_numpy(copy=True)
    doses[200] += 0.01
    changed["dose"] = doses
    written(changed, path)
    with pytest.raises(StudyMismatchError, match="column 'dose' with other values"):
        Study.open(tmp_path / "study.db")
    written(frame(), path)
    Study.open(tmp_path / "study.db").close()


@pytest.mark.usefixtures("large")
def test_a_table_that_changes_while_a_study_is_open_is_noticed_by_exports(tmp_path: Path) -> None:
    path = written(frame(), tmp_path / "patients.parquet")
    with Study.create(tmp_path / "study.db", path, **OPTIONS) as study:
        written(frame().iloc[::-1], path)
        with pytest.raises(StudyMismatchError, match="not the table"):
            study.engine.table.rows([3])


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("lazy", ["polars", "dataset"])
def test_lazy_tables(tmp_path: Path, lazy: str) -> None:
    table = frame().drop(columns=["photo", "note"])
    path = written(table, tmp_path / "patients.parquet")
    X = pl.scan_parquet(path) if lazy == "polars" else ds.dataset(path)
    with Study.create(MemoryStorage(), X, k=2, id_column="patient", random_state=0, classes=["a", "b"]) as study:
        assert study.pool.kind == "mapped"
        row = study.ask()
        assert dict(study.engine.table.cells(row))["age"] == str(table.age[row])


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize(
    ("ids", "said"),
    [
        (["a", "b", None, *map(str, range(237))], "has 1 row without an id .*the first is row 3"),
        (["a", "b", " a", *map(str, range(237))], "must be unique, but rows 1 and 3"),
    ],
)
def test_bad_ids_are_named_with_their_rows(tmp_path: Path, ids: list[str | None], said: str) -> None:
    path = written(frame().assign(patient=pd.Series(ids)), tmp_path / "patients.parquet")
    with pytest.raises(InvalidInputError, match=said):
        Study.create(tmp_path / "study.db", path, **OPTIONS)
    assert not (tmp_path / "study.db").exists()


@pytest.mark.usefixtures("large")
def test_rows_are_found_by_their_names_without_a_list_of_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from activefs.study import _names, _open

    monkeypatch.setattr(_open, "_NAMES_KEPT", 0)
    monkeypatch.setattr(_names, "_MOST_IN_MEMORY", 0)
    path = written(frame(), tmp_path / "patients.parquet")
    with Study.create(tmp_path / "study.db", path, **OPTIONS) as study:
        assert study.engine.names.row(" p0123 ") == 123
        assert study.engine.names.of_all([5, 200]) == {5: "p0005", 200: "p0200"}
        assert len(study.engine.names._name_of) == 2
        with pytest.raises(InvalidInputError, match="no row with the id 'p9999'"):
            study.engine.names.row("p9999")


@pytest.mark.usefixtures("large")
def test_images_of_pixels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    pixels = pd.DataFrame(rng.integers(0, 17, size=(120, 6)), columns=[f"x{i}" for i in range(6)])
    path = written(pixels, tmp_path / "pixels.parquet", row_group_size=32)
    options: dict[str, Any] = {"k": 2, "show_image": (2, 3), "random_state": 0, "classes": ["a", "b"]}
    with Study.create(MemoryStorage(), path, **options) as streamed, warnings.catch_warnings():
        monkeypatch.undo()
        monkeypatch.setenv("ACTIVEFS_CACHE_DIR", str(tmp_path / "cache"))
        with Study.create(MemoryStorage(), pixels, **options) as study:
            one, two = streamed.engine.table, study.engine.table
            assert isinstance(one._contents, StreamedContents) and isinstance(two._contents, MemoryContents)
            for row in (0, 50, 119):
                np.testing.assert_array_equal(one.image_of(row), two.image_of(row))
            np.testing.assert_allclose(one.mean_image()[0], two.mean_image()[0], atol=0.5)
            assert one.mean_image()[1] == two.mean_image()[1]


@pytest.mark.usefixtures("large")
def test_what_takes_all_rows_is_read_once_for_all_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    pixels = pd.DataFrame(rng.integers(0, 17, size=(120, 6)), columns=[f"x{i}" for i in range(6)])
    pixels["photo"] = [f"https://example.org/{i}.png" for i in range(120)]
    path = written(pixels, tmp_path / "pixels.parquet", row_group_size=32)
    options: dict[str, Any] = {"k": 2, "show_image": (2, 3), "show_media": ["photo"], "classes": ["a", "b"]}
    with Study.create(tmp_path / "study.db", path, **options) as study:
        hosts, image = study.engine.table.media_hosts, study.engine.table.image_of(7)
    read: list[int] = []
    before = ParquetSource.read

    def noted(self: ParquetSource, piece: int, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        read.append(piece)
        return before(self, piece, names)

    monkeypatch.setattr(ParquetSource, "read", noted)
    with Study.open(tmp_path / "study.db") as study:
        assert study.engine.table.media_hosts == hosts == {"https://example.org"}
        np.testing.assert_array_equal(study.engine.table.image_of(7), image)
    assert set(read) == {0}  # the row that somebody looked at


@pytest.mark.usefixtures("large")
def test_text_that_is_no_pixel_is_refused_when_the_study_is_made(tmp_path: Path) -> None:
    path = written(frame()[["age", "sex"]], tmp_path / "pixels.parquet")
    with pytest.raises(InvalidInputError, match="the columns of an image must all be numbers"):
        Study.create(tmp_path / "study.db", path, k=1, show_image=(1, 2), classes=["a", "b"])
    assert not (tmp_path / "study.db").exists()


@pytest.mark.usefixtures("large")
def test_costs_come_from_a_column(tmp_path: Path) -> None:
    table = frame().assign(price=np.arange(1.0, 241.0)).drop(columns=["photo", "note"])
    path = written(table, tmp_path / "patients.parquet")
    options: dict[str, Any] = {"k": 2, "id_column": "patient", "cost": "price", "budget": 50.0, "random_state": 0}
    with Study.create(MemoryStorage(), path, classes=["a", "b"], **options) as study:
        assert isinstance(study.engine.table, StudyTable)
        np.testing.assert_array_equal(study.engine.table.cost, table.price)
        assert table.price[study.ask()] <= 50


def test_what_was_said_of_text_files_is_kept_with_the_study(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    for part in range(2):
        rows = "\n".join(f"{i % 3};{i % 4},5" for i in range(part * 40, part * 40 + 40))
        (folder / f"{part}.csv").write_text(f"a;b\n{rows}\n", encoding="utf-8")
    options: dict[str, Any] = {"k": 1, "classes": ["x", "y"], "random_state": 0}
    with Study.create(tmp_path / "study.db", folder, sep=";", decimal=",", **options) as study:
        assert study.engine.settings.dialect.said == {"sep": ";", "decimal": ","}
        assert dict(study.engine.table.cells(1)) == {"a": "1", "b": "1.5"}
    with Study.open(tmp_path / "study.db") as study:
        assert study.n_labels == 0 and study.pool.n_rows == 80


def test_looking_for_columns_of_text_files_is_told(tmp_path: Path) -> None:
    from activefs.study import column_names
    from activefs.tables import Dialect

    (tmp_path / "parts").mkdir()
    for name in ("1.csv", "2.csv"):
        frame().to_csv(tmp_path / "parts" / name, index=False)
    told: list[str] = []
    columns = column_names(tmp_path / "parts", "patient", Dialect(), lambda what, share: told.append(what))
    assert columns == tuple(frame().columns) and any("2.csv" in what for what in told)


@pytest.mark.usefixtures("large")
@needs_deleting
def test_a_table_that_is_gone_is_no_mistake_in_a_line_of_labels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_open, "_NAMES_KEPT", 0)
    monkeypatch.setattr(_names, "_MOST_IN_MEMORY", 0)
    path = written(frame(), tmp_path / "patients.parquet")
    Study.create(tmp_path / "study.db", path, **OPTIONS).close()
    path.rename(tmp_path / "moved.parquet")
    with (
        Study(open_engine(tmp_path / "study.db", at_once=False), "ana") as study,
        pytest.raises(InvalidInputError, match=r"^the table of the study is not at"),
    ):
        study.import_labels("row,label\np0001,ill\n")
    with Study.open(tmp_path / "study.db", tmp_path / "moved.parquet") as study:
        assert study.import_labels("row,label\np0001,ill\n") == (1, 1)
        with pytest.raises(InvalidInputError, match=r"^line 3 of the file: there is no row with the id 'x'"):
            study.import_labels("row,label\np0002,ill\nx,ill\n")


def test_a_place_that_is_taken_is_refused_before_the_table_is_read(tmp_path: Path) -> None:
    path, place = written(frame(), tmp_path / "patients.parquet"), tmp_path / "study.db"
    Study.create(place, path, **OPTIONS).close()
    with pytest.raises(InvalidInputError, match=r"there is a study at .* already"):
        Study.create(place, tmp_path / "nowhere.parquet", **OPTIONS)
    with pytest.raises(InvalidInputError, match=r"there is no folder .* for the study"):
        Study.create(tmp_path / "none" / "study.db", tmp_path / "nowhere.parquet", **OPTIONS)
    with pytest.raises(InvalidInputError, match=r"nowhere\.parquet"):
        Study.create(tmp_path / "other.db", tmp_path / "nowhere.parquet", **OPTIONS)
    assert not (tmp_path / "other.db").exists()
    with pytest.raises(InvalidInputError, match="there is no file or folder"):
        Study.create(tmp_path / "other.db", tmp_path / "nowhere", **OPTIONS)


@pytest.mark.parametrize(
    "ids",
    [
        pa.array([[i] for i in range(240)]),
        pa.array([{"of": i} for i in range(240)]),
        pa.array([f"p{i}" for i in range(240)], pa.string_view()),
    ],
)
@pytest.mark.parametrize("cells", [0, 10**9])
def test_ids_of_unusual_types(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ids: pa.Array, cells: int) -> None:
    monkeypatch.setattr(_fits, "MOST_CELLS", cells)
    monkeypatch.setattr(_source, "_LARGE", 0)
    table = pa.table({"id": ids, "age": frame()["age"], "sex": frame()["sex"]})
    pq.write_table(table, tmp_path / "patients.parquet", row_group_size=50)
    options: dict[str, Any] = {"k": 1, "id_column": "id", "classes": ["ill", "healthy"]}
    with Study.create(tmp_path / "study.db", tmp_path / "patients.parquet", **options) as study:
        row = study.ask()
        study.tell(row, "ill")
        assert study.engine.names.row(study.name_of(row)) == row
        study.export(tmp_path / "all.parquet", joined=True)
    assert pq.read_table(tmp_path / "all.parquet")["age"].to_pylist() == [frame()["age"][row]]
