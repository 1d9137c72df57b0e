"""Studies that 0.1 made (see study-0.1/make_studies.py) open, say what they said, and go on.

The next question is the same unless the model is asked, which is another one now.
"""

import csv
import io
import shutil
from pathlib import Path

import pytest

from activefs import Study
from activefs.study import open_engine

HERE = Path(__file__).parent / "study-0.1"


def as_before(text: str) -> str:
    """What 0.1 wrote: without the columns that say who corrected what, which come if anything was corrected."""
    lines = list(csv.reader(io.StringIO(text)))
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(line[:5] for line in lines)
    return out.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("patients.csv", "study.db", "free.db", "days.csv", "days.db", "alike.db"):
        shutil.copy(HERE / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize(
    ("database", "labels", "following", "corrected"),
    [
        ("study.db", "labels.csv", "next.txt", [("ill", "healthy")]),
        ("free.db", "free.csv", "free-next.txt", []),
    ],
)
def test_it_goes_on(folder: Path, database: str, labels: str, following: str, corrected: list[tuple[str, str]]) -> None:
    lines = (HERE / following).read_text().split("\n")
    with Study.open(folder / database) as study:
        kept = study.export_csv()
        assert as_before(kept) == (HERE / labels).read_text()
        corrections = [line for line in csv.DictReader(io.StringIO(kept)) if line.get("corrected_by")]
        assert [(c["corrected_from"], c["label"]) for c in corrections] == corrected
        if study.engine.settings.strategy == "assisted":
            assert 0 <= study.ask() < study.pool.n_rows
        else:
            assert study.ask() == int(lines[0])
        assert sorted(study.selection().names) == sorted(lines[1].split())
    assert list(folder.glob(f"{database}.backup-0002-*")), "a copy is kept before tables are changed"


def test_labels_can_be_listed_and_taken_back_before_the_table_was_read(folder: Path) -> None:
    engine = open_engine(folder / "study.db", at_once=False)
    study = Study(engine, "ana")
    assert as_before(study.export_csv()) == (HERE / "labels.csv").read_text()
    assert study.take_back(row="P008").label == "ill"
    study.close()


def test_integers_stay_integers(folder: Path) -> None:
    with Study.open(folder / "free.db") as study:
        assert set(study.labels) == {0, 1}
        study.tell(study.ask(), "1 ")
        assert set(study.labels) == {0, 1} and study.classes == (1, 0)


@pytest.mark.parametrize(
    ("database", "labels", "classes"),
    [("days.db", "days-labels.csv", ((1, 4), (0, 2), ("x", 2))), ("alike.db", "alike.csv", (("a", 2), ("\u00e9", 2)))],
)
def test_rows_named_by_dates_and_classes_that_are_written_alike(
    folder: Path, database: str, labels: str, classes: tuple[tuple[str | int, int], ...]
) -> None:
    with Study.open(folder / database) as study:
        kept = (HERE / labels).read_text(encoding="utf-8")
        assert study.export_csv() == kept
        assert study.classes == tuple(label for label, _ in classes)
        assert study.status().classes == classes
        assert study.import_csv(kept) == 0, "what is exported can be imported"
        row = study.ask()
        study.tell(row, "a" if database == "alike.db" else "1")
        assert study.take_back(row=study.name_of(row)).row == row
