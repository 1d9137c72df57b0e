"""Public tables in both readings, from made-up files."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from real_data import GIVEN

from activefs.exceptions import DataSetError, InvalidInputError
from activefs.experiments.leaderboard import TABLES, LeaderboardSettings, choices, named, plan_work
from activefs.experiments.leaderboard._public_tables import readings
from activefs.pool import Pool
from activefs.runs import LabelledPool, Source, Store, labelled_pool, load

ROWS = 40
PLAIN, SHUFFLED = readings("tiny", ROWS, 4)


def write(folder: Path, name: str, columns: dict[str, list[object]]) -> None:
    (folder / "tables").mkdir(exist_ok=True)
    lines = ["\t".join(columns), *("\t".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    (folder / "tables" / f"{name}.csv.gz").write_bytes(gzip.compress("\n".join(lines).encode() + b"\n"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ACTIVEFS_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("ACTIVEFS_CACHE_DIR", str(tmp_path / "cache"))
    labelled_pool.cache_clear()
    return tmp_path


@pytest.fixture
def tiny(folder: Path) -> Path:
    rng = np.random.default_rng(0)
    columns: dict[str, list[object]] = {
        "number": [int(n) for n in rng.permutation(ROWS)],  # as many values as rows, as phone numbers have
        "real": [round(float(x), 3) for x in rng.normal(size=ROWS)],
        "code": [[7, 1, 40][i % 3] for i in range(ROWS)],
        "always": [1] * ROWS,
        "class": [["b", "c", "a"][i % 3] for i in range(ROWS)],
    }
    write(folder, "tiny", columns)
    return folder


def test_as_it_is_columns_with_many_values_have_ten_bins_in_order_and_every_column_is_used(tiny: Path) -> None:
    codes, names, y = load(PLAIN)
    assert names == ("number", "real", "code")  # a column with one value can tell nothing
    assert codes.dtype.kind == "i" and codes.shape == (ROWS, 3)
    assert codes.max(axis=0).tolist() == [9, 9, 2]
    assert codes[:3, 2].tolist() == [1, 0, 2]  # 7, 1, 40
    lines = gzip.decompress((tiny / "tables" / "tiny.csv.gz").read_bytes()).decode().splitlines()[1:]
    for j in (0, 1):
        values = np.array([float(line.split("\t")[j]) for line in lines])
        assert (np.diff(codes[np.argsort(values), j]) >= 0).all()
    assert y[:3].tolist() == [1, 2, 0]  # b, c, a


def test_shuffled_has_the_same_bins_under_other_names_always_the_same(tiny: Path) -> None:
    plain, _, y = load(PLAIN)
    codes, names, same = load(SHUFFLED)
    assert names == ("number", "real", "code") and np.array_equal(y, same)
    for before, after in zip(plain.T, codes.T, strict=True):
        pairs = set(zip(before.tolist(), after.tolist(), strict=True))
        assert len(pairs) == len(set(before.tolist())) == len(set(after.tolist()))
        assert after.max() == before.max()
    assert not np.array_equal(plain[:, 0], codes[:, 0])
    assert np.array_equal(codes, load(SHUFFLED)[0])


def test_codes_are_kept_as_they_are_and_the_truth_is_the_same_in_both_readings(tiny: Path) -> None:
    plain, shuffled = labelled_pool(PLAIN), labelled_pool(SHUFFLED)
    assert np.array_equal(plain.pool.codes.T, load(PLAIN)[0]) and plain.pool.names == shuffled.pool.names
    assert np.array_equal(shuffled.pool.codes.T, load(SHUFFLED)[0])
    assert plain.truth == pytest.approx(shuffled.truth)
    assert PLAIN != SHUFFLED and PLAIN.key != SHUFFLED.key
    _, _, y = load(PLAIN)
    assert plain.truth == pytest.approx(LabelledPool.of(Pool.from_table(load(PLAIN)[0], binning="none"), y).truth)


@pytest.mark.parametrize("labels", [[True, False], [3, 10]])
def test_classes_are_numbered_in_the_order_of_their_labels(folder: Path, labels: list[object]) -> None:
    write(folder, "two", {"a": [0, 1, 2, 0], "class": [labels[i % 2] for i in range(4)]})
    _, _, y = load(readings("two", 4, 1)[0])
    wanted = sorted(labels)  # type: ignore[type-var]
    assert y.tolist() == [wanted.index(labels[i % 2]) for i in range(4)]


def test_a_file_that_is_nowhere_damaged_or_another_one(folder: Path) -> None:
    with pytest.raises(DataSetError, match=r"not on this machine .*ACTIVEFS_DATA_DIR"):
        load(PLAIN)
    write(folder, "tiny", {"a": [1, 2], "class": [0, 1]})
    with pytest.raises(DataSetError, match=r"2 rows and 2 columns, .* instead of 40 and 5"):
        load(PLAIN)
    path = folder / "tables" / "tiny.csv.gz"
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(DataSetError, match="cannot be read"):
        load(PLAIN)


def test_tables_that_are_not_there_are_left_out_with_one_note(folder: Path) -> None:
    settings = LeaderboardSettings((*map(named, ("SONAR", "CHURN", "SMALL")),), choices("random"), (5,), 1, 25)
    kept, work = plan_work(settings, Store(folder / "out"), here=True)
    assert kept.datasets == ("SMALL",) and len(work.notes) == 1
    assert work.notes[0].startswith("SONAR, CHURN are left out: not on this machine")
    alone = LeaderboardSettings((named("SONAR"),), choices("random"), (5,), 1, 25)
    with pytest.raises(InvalidInputError, match="nothing to run: SONAR is left out: not on this machine"):
        plan_work(alone, Store(folder / "out"), here=True)


def test_tables_have_their_own_label_counts_and_k() -> None:
    settings = LeaderboardSettings()
    sonar, blocks, churn, votes = (named(n) for n in ("SONAR", "PAGE-BLOCKS", "CHURN-SHUFFLED", "HOUSE-VOTES-84"))
    assert settings.budget_of(sonar) == 166 and settings.measured_of(sonar) == (25, 50, 100, 150)
    assert settings.budget_of(churn) == 200
    assert settings.counts_of(churn) == settings.measured_of(churn) == (25, 50, 100, 150, 200)
    assert settings.ks_of(churn) == settings.ks_of(votes) == (5, 10)  # 16 columns: more than ten
    assert settings.ks_of(blocks) == (5,)
    assert LeaderboardSettings(budget=50).budget_of(churn) == 50


def test_what_is_left_out_on_tables_is_said_once(folder: Path) -> None:
    sources = (*TABLES, named("WINE0"))
    settings = LeaderboardSettings(sources, choices("random"), runs=1, budget=25)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("activefs.experiments.leaderboard._plan.load", lambda source: None)
        _, work = plan_work(settings, Store(folder / "out"), here=True)
    assert sorted(work.notes) == [
        "WINE0 has 13 features, less than twice k=10, 20: left out",
        "k=10 is left out on PAGE-BLOCKS, PAGE-BLOCKS-SHUFFLED: public tables have k up to 10, and below their columns",
        "k=20 is left out on tables: public tables have k up to 10, and below their columns",
    ]


@pytest.mark.parametrize("source", TABLES, ids=lambda s: s.name)
def test_the_tables_themselves(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    if GIVEN is None or not (Path(GIVEN) / "tables").is_dir():
        pytest.skip("set ACTIVEFS_DATA_DIR to a folder with the folder tables")
    monkeypatch.setenv("ACTIVEFS_DATA_DIR", GIVEN)
    codes, names, y = load(source)
    assert codes.shape[0] == len(y) == source.rows and names is not None
    assert source.features - 2 <= codes.shape[1] == len(names) <= source.features  # constant columns are left out
    assert codes.max() <= 9 and codes.min() == 0 and set(np.unique(y)) == set(range(y.max() + 1))
    if source.name.startswith("CHURN"):
        assert "phone number" in names
