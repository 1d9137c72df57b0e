"""What a study shows of itself in notebooks and consoles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from activefs import Study
from activefs.storages import MemoryStorage

X = np.random.default_rng(0).integers(0, 3, size=(200, 5))


def made(**settings: Any) -> Study:
    return Study.create(MemoryStorage(), X, **{"k": 2, "budget": 40, "strategy": "afs", "random_state": 0, **settings})


def test_without_labels_there_is_no_table():
    study = made(title="eyes")
    assert repr(study) == "<Study 'eyes': 2 features wanted, 200 rows, strategy 'afs': 0 of 40 labels>"
    assert "0 of 40 labels" in study._repr_html_() and "<table" not in study._repr_html_()


def test_what_is_open_skipped_and_labelled():
    study = made(classes=["no", "yes"])
    study.tell(range(30), np.where(X[:30, 1] > 0, "yes", "no").tolist())
    study.skip(50)
    study.ask(3)
    assert "30 of 40 labels, 3 being labelled now, 1 skipped" in repr(study)
    page = study._repr_html_()
    yes = int((X[:30, 1] > 0).sum())
    assert f"30 of 40 labels (no: {30 - yes}, yes: {yes}), 3 being labelled now, 1 skipped" in page
    assert page.count("<table") == 1


def test_of_many_classes_those_with_most_labels_are_listed():
    study = made(classes=[f"c{i:02}" for i in range(20)])
    study.tell(range(25), [f"c{i % 20:02}" for i in range(25)])
    page = study._repr_html_()
    assert "(c00: 2, c01: 2, " in page and " and 8 more classes)" in page


def test_names_are_text():
    study = made(title="<b>eyes</b>", classes=["<i>", "&"])
    study.tell([0, 1], ["<i>", "&"])
    page = study._repr_html_()
    assert "&lt;b&gt;eyes" in page and "&lt;i&gt;: 1" in page and "<i>" not in page


def test_a_budget_of_money_is_not_compared_with_a_number_of_labels():
    table = pd.DataFrame(X, columns=list("abcde")).assign(price=2.0)
    study = Study.create(MemoryStorage(), table, k=2, budget=40, cost="price", strategy="afs", random_state=0)
    assert "0 labels>" in repr(study) and "0 labels." in study._repr_html_()
    study.tell(range(5), X[:5, 1].tolist())
    assert "which cost 10 of 40" in study._repr_html_()


@pytest.mark.parametrize(("change", "said"), [("pause", "It is paused."), ("archive", "It is archived.")])
def test_paused_and_archived(change, said):
    study = made()
    assert said not in study._repr_html_()
    getattr(study.engine, change)(study.person)
    assert said in study._repr_html_()
