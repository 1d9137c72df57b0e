"""Verdicts: from curves that are made up so that the answer is known."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from activefs.experiments.selection import (
    PLANS,
    Claim,
    Curves,
    SelectionSettings,
    cells,
    check_claims,
    items_of,
    report,
    verdicts,
)
from activefs.runs import Bundle, RunResult, Source, Store, difference, paired

SOURCES = (Source("RELATHE", 1427, 4322), Source("MUSK", 6598, 166))
SETTINGS = SelectionSettings(SOURCES, (1, 5, 10, 20), runs=12, budget=40)


def made_up(folder: Path, level: dict[str, float], settings: SelectionSettings = SETTINGS) -> Curves:
    """Curves around given levels: gap = level * k, with a little noise between runs."""
    store = Store(folder)
    for plan in PLANS.values():
        for dataset, k in cells(plan, settings):
            for line in plan.lines:
                for item in items_of(line, dataset, k, settings):
                    if store.has(item):
                        continue
                    rng = np.random.default_rng(item.run)
                    rows = np.arange(settings.budget, dtype=np.int32) + (item.run if line.name != "AVG-ALL" else 0)
                    noise = 1 + 0.01 * rng.normal()
                    gaps = np.array([[level.get(line.name, 1.0) * n * noise] * settings.budget for n in item.ks])
                    store.save(item, RunResult(rows.astype(np.int32), gaps.astype(np.float32)))
    return Curves(list(PLANS.values()), settings, store)


def named(claims: list[Claim], words: str, floor: str = "") -> Claim:
    found = [c for c in claims if words in c.sentence and (floor in c.sentence if floor else "pool" not in c.sentence)]
    assert len(found) == 1, [c.sentence for c in claims]
    return found[0]


def test_a_world_in_which_the_paper_is_right(tmp_path: Path) -> None:
    level = {
        "AFS": 0.5, "RANDOM": 1.0, "CORESET": 1.1, "DWUS": 2.0, "AFS-NOSG": 1.5, "AVG-SEL": 2.0, "AVG-ALL": 2.0,
        "SINGLE": 1.4, "AFS l2": 0.51, "AFS linf": 0.6, "AFS (pool floor)": 0.5, "AFS-NOSG (pool floor)": 1.5,
    }  # fmt: skip
    claims = check_claims(made_up(tmp_path, level))
    expected = {
        "better or comparably": "confirmed",
        "larger for larger values of k": "confirmed",
        "show the advantage": "confirmed",
        "DWUS is often not seen": "confirmed",
        "only algorithm": "confirmed",
        "AVG-SEL, which": "confirmed",
        "SINGLE, which": "confirmed",
        "AVG-ALL is inconsistent": "mixed",  # poor everywhere, best nowhere
        "exactly the same": "confirmed",
        "even than the random baseline": "confirmed",
        "similar for l1 and l2": "confirmed",
        "l-infinity": "confirmed",
        "usually performs similarly": "not confirmed",
        "sometimes performs better than AFS": "not confirmed",
        "comparably with CORESET": "not confirmed",  # far better than both, that is not comparable
        "DWUS performs significantly worse": "confirmed",
    }
    assert {words: named(claims, words).verdict for words in expected} == expected


def test_a_world_in_which_the_paper_is_wrong(tmp_path: Path) -> None:
    level = {"AFS": 2.0, "AFS (pool floor)": 2.0, "RANDOM": 1.0, "AFS l2": 1.0, "AFS linf": 1.0, "SINGLE": 0.5}
    claims = check_claims(made_up(tmp_path, level))
    for words in ("better or comparably", "larger for larger", "only algorithm", "SINGLE, which", "similar for l1"):
        assert named(claims, words).verdict == "not confirmed"
    assert named(claims, "better or comparably", "pool").verdict == "not confirmed"
    assert "holds in 0 of 8" in named(claims, "better or comparably").result
    counts = verdicts(claims)
    assert sum(counts.values()) == len(claims)


def test_claims_without_their_curves_are_left_out(tmp_path: Path) -> None:
    whole = made_up(tmp_path, {})
    some = Curves([PLANS["aggregations"]], SETTINGS, Store(tmp_path))
    sentences = {claim.sentence for claim in check_claims(some)}
    assert any("l1 and l2" in s for s in sentences) and not any("DWUS" in s for s in sentences)
    assert len(check_claims(whole)) > len(sentences)


def test_report_names_every_claim_and_its_numbers(tmp_path: Path) -> None:
    curves = made_up(tmp_path, {"DWUS": 3.0})
    claims = check_claims(curves)
    text = report(curves, claims)
    headings = re.findall(r"^### (.+)$", text, re.MULTILINE)
    for number, claim in enumerate(claims, start=1):
        assert f"{number}. {claim.sentence}" in headings
        linked = re.search(rf"^\| \[{number}\]\(#([\w-]+)\)", text, re.MULTILINE)
        # What readers of Markdown make of a heading: lower case, hyphens for blanks, nothing else that is no letter.
        wanted = "".join(c for c in f"{number}. {claim.sentence}".lower() if c.isalnum() or c in " -_")
        assert linked is not None and linked[1] == wanted.replace(" ", "-")
        assert claim.sentence in text and claim.rule in text
    assert "**confirmed**" in text and "baselines/RELATHE-k1.png" in text
    assert text.count("| RELATHE k=10 |") > 5


def test_summary_has_the_columns_and_rows(tmp_path: Path) -> None:
    settings = SelectionSettings(SOURCES, (1, 5), runs=3, budget=60)
    curves = made_up(tmp_path, {}, settings)
    rows = curves.summary().splitlines()
    assert rows[0] == "dataset,k,strategy,budget,mean_gap,ci_low,ci_high,runs"
    assert {row.split(",")[3] for row in rows[1:]} == {"25", "50", "60"}
    assert len(rows) - 1 == sum(1 for _ in curves.items()) * 3
    table = curves.table()
    assert table.num_rows == sum(1 for _ in curves.items()) * 60
    assert table.column_names[:4] == ["dataset", "k", "strategy", "labels"]


def test_intervals_are_students_and_welchs() -> None:
    bundle = Bundle(np.array([[1.0], [2.0], [3.0]]))
    assert bundle.half_width[0] == pytest.approx(4.302653 / np.sqrt(3), rel=1e-5)
    assert Bundle(np.array([[1.0, 2.0]]), same_rows=True).half_width.tolist() == [0.0, 0.0]
    rng = np.random.default_rng(0)
    a, b = rng.normal(1.0, 1.0, 30), rng.normal(0.0, 3.0, 20)
    from scipy.stats import ttest_ind, ttest_rel

    reference = ttest_ind(a, b, equal_var=False).confidence_interval(0.95)
    assert (difference(a, b).low, difference(a, b).high) == pytest.approx((reference.low, reference.high))
    reference = ttest_rel(a[:20], b).confidence_interval(0.95)
    assert (paired(a[:20], b).low, paired(a[:20], b).high) == pytest.approx((reference.low, reference.high))
    assert difference(np.array([1.0]), np.array([0.0])).sign == 0  # nothing is known of one run
    assert difference(np.ones(3), np.zeros(3)).sign == 1
