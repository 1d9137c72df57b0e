"""Pieces, plans, and what is left to do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from activefs.exceptions import ActiveFSError, InvalidInputError
from activefs.experiments.selection import PLANS, Settings
from activefs.experiments.selection._runner import cells, pieces_of, plan_work
from activefs.runs import Source, lines, run
from activefs.runs._store import Piece, Result, Store

PAPER = Settings()
TINY = Source("TINY", 100, 8)


def result(budget: int = 4, ks: int = 1) -> Result:
    return Result(np.arange(budget, dtype=np.int32), np.full((ks, budget), 0.25, dtype=np.float32))


def test_the_paper_has_28_and_21_and_28_pictures() -> None:
    assert [len(cells(PLANS[n], PAPER)) for n in ("baselines", "ablations", "aggregations", "safeguards")] == [
        28, 21, 28, 28,
    ]  # fmt: skip


def test_plans_share_pieces_and_rows_that_do_not_depend_on_k_are_run_once(tmp_path: Path) -> None:
    store = Store(tmp_path)
    alone = sum(plan_work([plan], PAPER, store).pieces for plan in PLANS.values())
    together = plan_work(PLANS.values(), PAPER, store)
    assert together.pieces < alone
    pieces = [piece for task in together.tasks for piece in task.pieces]
    assert len(pieces) == len(set(pieces)) == len({piece.path for piece in pieces}) == together.missing
    random = [p for p in pieces if p.line == lines.RANDOM]
    assert len(random) == 7 * 30
    assert {p.ks for p in random} == {(1, 5, 10, 20)}


def test_runs_that_differ_in_the_safeguard_only_go_together(tmp_path: Path) -> None:
    settings = Settings((TINY,), (5,), runs=1, budget=50)
    store = Store(tmp_path)
    work = plan_work([PLANS["safeguards"]], settings, store)
    afs = [t for t in work.tasks if t.pieces[0].line.is_afs]
    assert [[p.line.safeguard for p in t.pieces] for t in afs] == [[None, 40, 30, 20, 10]] * 2
    assert len({p.random_state for p in afs[0].pieces}) == 1
    assert afs[0].pieces[0].random_state != afs[1].pieces[0].random_state
    # Once the longest is there, the others repeat it.
    store.save(afs[0].pieces[0], result(50))
    left = plan_work([PLANS["safeguards"]], settings, store)
    known = [t for t in left.tasks if t.known is not None]
    assert len(known) == 1 and known[0].known is not None and len(known[0].pieces) == 4
    # A run whose safeguard fires earlier is of no use to one that fires later.
    other = Store(tmp_path / "other")
    other.save(afs[0].pieces[-1], result(50))
    assert all(t.known is None for t in plan_work([PLANS["safeguards"]], settings, other).tasks)


def test_seeds_are_stable_and_all_different() -> None:
    piece = Piece(TINY, lines.AFS, (5,), 0, 50, 0)
    assert piece.random_state == Piece(TINY, lines.AFS, (5,), 0, 500, 0).random_state
    seeds = {
        Piece(Source(name, 100, 8), line, (k,), run, 50, seed).random_state
        for name in ("A", "B")
        for line in (lines.AFS, lines.AFS_POOL, lines.L2, lines.AVG_SEL)
        for k in (1, 5)
        for run in (0, 1)
        for seed in (0, 1)
    }
    assert len(seeds) == 2 * 4 * 2 * 2 * 2


def test_a_piece_is_kept_whole_or_not_at_all(tmp_path: Path) -> None:
    store = Store(tmp_path)
    piece = Piece(TINY, lines.RANDOM, (1, 5), 2, 4, 0)
    assert store.load(piece) is None
    store.save(piece, result(ks=2))
    found = store.load(piece)
    assert found is not None and (found.gaps == 0.25).all() and found.rows.tolist() == [0, 1, 2, 3]
    path = tmp_path / piece.path
    path.write_bytes(path.read_bytes()[:50])
    assert store.load(piece) is None
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_a_damaged_piece_is_computed_again(tmp_path: Path) -> None:
    table = write_table(tmp_path)
    settings = Settings((Source.table(f"{table}:y"),), (2,), runs=2, budget=20)
    store = Store(tmp_path / "pieces")
    plan = PLANS["aggregations"]
    run(plan_work([plan], settings, store), store, jobs=1, advance=lambda _: None)
    victim = next((tmp_path / "pieces").rglob("*.parquet"))
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
    assert Piece(source, lines.AFS, (2,), 0, 9, 0).path == Piece(again, lines.AFS, (2,), 0, 9, 0).path
    table.write_text(table.read_text() + "0,0,0,0,0,1\n")
    changed = Source.table(f"{table}:y")
    assert Piece(source, lines.AFS, (2,), 0, 9, 0).path != Piece(changed, lines.AFS, (2,), 0, 9, 0).path


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (Settings((TINY,), (1,), 1, 101), "more than the 100 rows of TINY"),
        (Settings((TINY,), (1,), 0, 5), "runs must be at least 1"),
        (Settings((TINY,), (0,), 1, 5), "k must be at least 1"),
        (Settings((), (1,), 1, 5), "nothing to run"),
        (Settings((TINY, TINY), (1,), 1, 5), "same name"),
    ],
)
def test_settings_that_cannot_be_run_are_refused(tmp_path: Path, settings: Settings, words: str) -> None:
    with pytest.raises(InvalidInputError, match=words):
        plan_work(PLANS.values(), settings, Store(tmp_path))


@pytest.mark.parametrize("text", ["nofile", ":y", "file.csv:", "absent.csv:y"])
def test_tables_that_cannot_be_read_are_refused(text: str) -> None:
    with pytest.raises(InvalidInputError):
        Source.table(text)


def test_unknown_names_are_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidInputError, match="there are BASEHOCK"):
        Source.named("IRIS")


def test_k_beyond_the_features_is_left_out_with_a_note(tmp_path: Path) -> None:
    work = plan_work([PLANS["baselines"]], Settings((TINY,), (5, 10), 1, 20), Store(tmp_path))
    assert work.notes == ["TINY has fewer features than k=10: left out"]
    assert {piece.ks for task in work.tasks for piece in task.pieces} == {(5,), (1, 5)}


def test_an_unusual_k_is_everybodys(tmp_path: Path) -> None:
    assert [k for _, k in cells(PLANS["ablations"], Settings((TINY,), (1, 3, 5)))] == [3, 5]
    assert pieces_of(lines.RANDOM, "TINY", 3, Settings((TINY,), (3,), 1))[0].ks == (1, 3, 5)


def test_a_folder_that_cannot_be_written_to_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInputError, match="--out"):
        Store(tmp_path / "file" / "below")


def test_no_scheduler_is_told(tmp_path: Path) -> None:
    table = write_table(tmp_path)
    settings = Settings((Source.table(f"{table}:y"),), (2,), runs=1, budget=5)
    store = Store(tmp_path / "pieces")
    with pytest.raises(ActiveFSError, match="no dask scheduler answers at nonsense"):
        run(plan_work([PLANS["baselines"]], settings, store), store, jobs=1, scheduler="nonsense://", advance=print)


def write_table(folder: Path) -> Path:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(60, 5))
    rows = [",".join(map(str, [*x, int(x[0] + x[1] > 2)])) for x in X]
    path = folder / "mine.csv"
    path.write_text("a,b,c,d,e,y\n" + "\n".join(rows) + "\n")
    return path
