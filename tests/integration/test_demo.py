"""`activefs demo` with less work than the real one."""

import pytest

from activefs.cli import main
from activefs.experiments.demo import _demo


@pytest.fixture
def small(monkeypatch):
    from activefs.cli import _demo as command

    for module in (_demo, command):
        monkeypatch.setattr(module, "RUNS", 2)
        monkeypatch.setattr(module, "BUDGET", 15)


def test_table_numbers_and_picture(small, tmp_path, capsys):
    assert main(["demo", "--out", str(tmp_path / "new"), "--seed", "3"]) == 0
    told = capsys.readouterr().out
    assert "The 10 chosen pixels (assisted selection, 15 of 365 labels)" in told
    assert told.count(" nats ") >= 10 and "of 10 are in the true top 10" in told
    for title in ("assisted selection", "AFS", "random labelling"):
        assert f"Gap with 15 labels, {title}: " in told
    assert (tmp_path / "new" / "activefs-demo.png").read_bytes().startswith(b"\x89PNG")


def test_what_is_found_and_what_it_is_compared_with(small):
    shares: list[float] = []
    found = _demo.run_demo(0, shares.append)
    assert sum(shares) == pytest.approx(1.0)
    assert set(found.gaps) == set(_demo.STRATEGIES)
    for gaps in found.gaps.values():
        assert gaps.shape == (2, 15) and (gaps >= -1e-12).all()
    assert found.hits == len(set(found.selection.features.tolist()) & set(found.best.tolist())) > 0
    assert found.selection.n_labels == 15 and found.mean_digit.shape == (8, 8)


def test_a_folder_that_cannot_be(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["demo", "--out", str(tmp_path / "file" / "in")]) == 2
    assert "cannot write to" in capsys.readouterr().err
