"""Work items, plans, and what is left to do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from activefs.exceptions import ActiveFSError, InvalidInputError
from activefs.experiments.selection import PLANS, SelectionSettings, cells, items_of, plan_work
from activefs.runs import RunResult, Source, Store, WorkItem, lines, run

PAPER = SelectionSettings()
TINY = Source("TINY", 100, 8)


def result(budget: int = 4, ks: int = 1) -> RunResult:
    return RunResult(np.arange(budget, dtype=np.int32), np.full((ks, budget), 0.25, dtype=np.float32))


def test_the_paper_has_28_and_21_and_28_pictures() -> None:
    assert [len(cells(PLANS[n], PAPER)) for n in ("baselines", "ablations", "aggregations", "safeguards")] == [
        28, 21, 28, 28,
    ]  # fmt: skip


def test_plans_share_items_and_rows_that_do_not_depend_on_k_are_run_once(tmp_path: Path) -> None:
    store = Store(tmp_path)
    alone = sum(plan_work([plan], PAPER, store).items for plan in PLANS.values())
    together = plan_work(PLANS.values(), PAPER, store)
    assert together.items < alone
    items = [item for shard in together.shards for item in shard.items]
    assert len(items) == len(set(items)) == len({item.path for item in items}) == together.missing
    random = [i for i in items if i.line == lines.RANDOM]
    assert len(random) == 7 * 30
    assert {i.ks for i in random} == {(1, 5, 10, 20)}


def test_runs_that_differ_in_the_safeguard_only_go_together(tmp_path: Path) -> None:
    settings = SelectionSettings((TINY,), (5,), runs=1, budget=50)
    store = Store(tmp_path)
    work = plan_work([PLANS["safeguards"]], settings, store)
    afs = [t for t in work.shards if t.items[0].line.is_afs]
    assert [[p.line.safeguard for p in t.items] for t in afs] == [[None, 40, 30, 20, 10]] * 2
    assert len({p.random_state for p in afs[0].items}) == 1
    assert afs[0].items[0].random_state != afs[1].items[0].random_state
    # Once the longest is there, the others repeat it.
    store.save(afs[0].items[0], result(50))
    left = plan_work([PLANS["safeguards"]], settings, store)
    known = [t for t in left.shards if t.known is not None]
    assert len(known) == 1 and known[0].known is not None and len(known[0].items) == 4
    # A run whose safeguard fires earlier is of no use to one that fires later.
    other = Store(tmp_path / "other")
    other.save(afs[0].items[-1], result(50))
    assert all(t.known is None for t in plan_work([PLANS["safeguards"]], settings, other).shards)


def test_seeds_are_stable_and_all_different() -> None:
    item = WorkItem(TINY, lines.AFS, (5,), 0, 50, 0)
    assert item.random_state == WorkItem(TINY, lines.AFS, (5,), 0, 500, 0).random_state
    seeds = {
        WorkItem(Source(name, 100, 8), line, (k,), run, 50, seed).random_state
        for name in ("A", "B")
        for line in (lines.AFS, lines.AFS_POOL, lines.L2, lines.AVG_SEL)
        for k in (1, 5)
        for run in (0, 1)
        for seed in (0, 1)
    }
    assert len(seeds) == 2 * 4 * 2 * 2 * 2


def test_an_item_is_kept_whole_or_not_at_all(tmp_path: Path) -> None:
    store = Store(tmp_path)
    item = WorkItem(TINY, lines.RANDOM, (1, 5), 2, 4, 0)
    assert store.load(item) is None
    store.save(item, result(ks=2))
    found = store.load(item)
    assert found is not None and (found.gaps == 0.25).all() and found.rows.tolist() == [0, 1, 2, 3]
    path = store.folder / item.path
    path.write_bytes(path.read_bytes()[:50])
    assert store.load(item) is None
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_a_damaged_item_is_computed_again(tmp_path: Path) -> None:
    table = write_table(tmp_path)
    settings = SelectionSettings((Source.table(f"{table}:y"),), (2,), runs=2, budget=20)
    store = Store(tmp_path)
    plan = PLANS["aggregations"]
    run(plan_work([plan], settings, store), store, jobs=1, advance=lambda _: None)
    victim = next(store.folder.rglob("*.parquet"))
    whole = victim.read_bytes()
    victim.write_bytes(whole[: len(whole) // 2])
    work = plan_work([plan], settings, store)
    assert work.missing == 1
    run(work, store, jobs=1, advance=lambda _: None)
    assert victim.read_bytes() == whole


def test_own_tables_are_known_by_content(tmp_path: Path) -> None:
    table = write_table(tmp_path)
    source = Source.table(f"{table}:y")
    assert (source.name, source.rows, source.features) == ("mine", 60, 5)
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    (moved / "mine.csv").write_bytes(table.read_bytes())
    again = Source.table(f"{moved / 'mine.csv'}:y")
    assert WorkItem(source, lines.AFS, (2,), 0, 9, 0).path == WorkItem(again, lines.AFS, (2,), 0, 9, 0).path
    table.write_text(table.read_text() + "0,0,0,0,0,1\n")
    changed = Source.table(f"{table}:y")
    assert WorkItem(source, lines.AFS, (2,), 0, 9, 0).path != WorkItem(changed, lines.AFS, (2,), 0, 9, 0).path


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (SelectionSettings((TINY,), (1,), 1, 101), "more than the 100 rows of TINY"),
        (SelectionSettings((TINY,), (1,), 0, 5), "runs must be at least 1"),
        (SelectionSettings((TINY,), (0,), 1, 5), "k must be at least 1"),
        (SelectionSettings((), (1,), 1, 5), "nothing to run"),
        (SelectionSettings((TINY, TINY), (1,), 1, 5), "same name"),
    ],
)
def test_settings_that_cannot_be_run_are_refused(tmp_path: Path, settings: SelectionSettings, words: str) -> None:
    with pytest.raises(InvalidInputError, match=words):
        plan_work(PLANS.values(), settings, Store(tmp_path))


@pytest.mark.parametrize(
    ("text", "said"),
    [("nofile", "FILE:LABEL"), (":y", "FILE:LABEL"), ("file.csv:", "FILE:LABEL"), ("absent.csv:y", "there is no file")],
)
def test_tables_that_cannot_be_read_are_refused(text: str, said: str) -> None:
    with pytest.raises(InvalidInputError, match=said):
        Source.table(text)


def test_unknown_names_are_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidInputError, match="there are BASEHOCK"):
        Source.named("IRIS")


def test_k_beyond_the_features_is_left_out_with_a_note(tmp_path: Path) -> None:
    work = plan_work([PLANS["baselines"]], SelectionSettings((TINY,), (5, 10), 1, 20), Store(tmp_path))
    assert work.notes == ["TINY has fewer features than k=10: left out"]
    assert {item.ks for shard in work.shards for item in shard.items} == {(5,), (1, 5)}


def test_an_unusual_k_is_everybodys() -> None:
    assert [k for _, k in cells(PLANS["ablations"], SelectionSettings((TINY,), (1, 3, 5)))] == [3, 5]
    assert items_of(lines.RANDOM, "TINY", 3, SelectionSettings((TINY,), (3,), 1))[0].ks == (1, 3, 5)


def test_a_folder_that_cannot_be_written_to_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInputError, match="--out"):
        Store(tmp_path / "file" / "below")


def test_no_scheduler_is_told(tmp_path: Path) -> None:
    table = write_table(tmp_path)
    settings = SelectionSettings((Source.table(f"{table}:y"),), (2,), runs=1, budget=5)
    store = Store(tmp_path)
    with pytest.raises(ActiveFSError, match="no dask scheduler answers at nonsense"):
        run(plan_work([PLANS["baselines"]], settings, store), store, jobs=1, scheduler="nonsense://", advance=print)


def write_table(folder: Path) -> Path:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(60, 5))
    rows = [",".join(map(str, [*x, int(x[0] + x[1] > 2)])) for x in X]
    path = folder / "mine.csv"
    path.write_text("a,b,c,d,e,y\n" + "\n".join(rows) + "\n")
    return path
