"""`activefs reproduce certificates`: sessions run to the end, and what is written about them."""

import csv

import numpy as np
import pytest

from activefs import cli, criteria, redundancy, strategies
from activefs.experiments.certificates import LINES, CertificateItem, CertificateLine, ClearItem, small_table


def test_every_strategy_rule_and_criterion_is_tried():
    assert {line.strategy for line in LINES} == set(strategies.available())
    assert {line.rule for line in LINES} == set(redundancy.available())
    assert {line.criterion for line in LINES} == set(criteria.available())


def test_tables_are_small_and_of_all_kinds():
    tables = [small_table(seed) for seed in range(40)]
    assert {table.name for table in tables} == {"independent", "planted", "dependent", "masked", "rare"}
    assert all(40 <= len(table.X) <= 300 and table.X.shape[1] > table.k for table in tables)
    assert {table.n_classes for table in tables} == {2, 3}
    assert all(np.unique(table.y).size == table.n_classes for table in tables)


def test_sessions_certify_and_are_right():
    found = CertificateItem(CertificateLine("random", "plug-in"), 0.2, 0, 6).compute()
    assert found.rows.size == 6 and (found.first > 0).any() and not found.false.any()
    assert (found.first <= found.rows).all() and (found.finite > 0).all()


def test_a_clear_matter_is_certified_with_few_labels():
    few, many = (ClearItem("random", 0.05, rows, 3).compute() for rows in (100, 1000))
    assert (few < 100).all() and (many < 400).all() and np.median(few) < np.median(many)


def test_report(tmp_path, capsys):
    command = [
        "reproduce",
        "certificates",
        "--strategies",
        "random,coreset",
        "--sessions",
        "3",
        "--model-sessions",
        "1",
    ]
    assert cli.main([*command, "--deltas", "0.2", "--jobs", "1", "--out", str(tmp_path)]) == 0
    said = (tmp_path / "report.md").read_text()
    assert "certified anything wrong at any moment" in said and "| coreset | plug-in |" in said
    assert "| random | 0.2 |" in said and "| coreset | 0.2 |" not in said  # which draws no rows
    rows = list(csv.DictReader((tmp_path / "summary.csv").open()))
    assert {row["strategy"] for row in rows} == {"random", "coreset"} and all(row["delta"] == "0.2" for row in rows)
    assert cli.main([*command, "--deltas", "0.2", "--jobs", "1", "--out", str(tmp_path)]) == 0
    assert " 0 of them computed now" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "why"), [(["--deltas", "0,1"], "between 0 and 1"), (["--strategies", "nobody"], "there is nothing to run")]
)
def test_wrong_use_is_told(tmp_path, capsys, more, why):
    assert cli.main(["reproduce", "certificates", "--out", str(tmp_path), *more]) == 2
    assert why in capsys.readouterr().err
