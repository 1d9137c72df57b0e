"""Labels that are equal, or written alike, are one class, however they arrive."""

from typing import Any

import numpy as np
import pytest

from activefs import ActiveFeatureSelector, Session, Study
from activefs.engine import ClassList
from activefs.exceptions import InvalidInputError
from activefs.storages import MemoryStorage
from activefs.strategies import AFS

X = np.random.default_rng(0).integers(0, 3, size=(60, 5))
ONE = (1, 1.0, True, "1", " 1 ", np.int64(1), np.float32(1), np.bool_(True), np.str_("1"))


@pytest.mark.parametrize("classes", [[0, 1, True], [1, 1.0, 2], [0, False], ["1", 1], [1.0, "1.0"], ["a", "a "]])
def test_no_class_twice(classes):
    with pytest.raises(InvalidInputError, match="twice"):
        Session(X, 2, classes=classes)


@pytest.mark.parametrize("label", ONE, ids=repr)
@pytest.mark.parametrize("classes", [[0, 1], ["0", "1"]], ids=["numbers", "text"])
def test_a_fixed_class_is_kept_as_it_was_named(label, classes):
    if classes == ["0", "1"] and isinstance(label, (float, bool, np.floating, np.bool_)):
        with pytest.raises(InvalidInputError):
            Session(X, 2, classes=classes).tell(0, label)
        return
    session = Session(X, 2, classes=classes)
    session.tell(0, label)
    assert session.labels == [classes[1]] and type(session.labels[0]) is type(classes[1])


def test_among_free_classes_the_first_one_names_it():
    for first in (1, 1.0, "1"):
        session = Session(X, 2)
        session.tell(0, first)
        session.tell(1, 1)
        assert session.classes == (first,) and [type(label) for label in session.labels] == [type(first)] * 2


def test_within_one_call_too():
    session = Session(X, 2)
    session.tell([0, 1, 2], [1, "1", 1.0])
    assert session.classes == (1,) and [type(label) for label in session.labels] == [int] * 3
    with pytest.warns(UserWarning, match="one class"):
        session.selection()


def test_the_list_of_classes_itself_does_not_change():
    classes = ClassList()
    assert classes.checked(["a", "b "]) == ["a", "b"] and classes.values == ()


def test_corrections_leave_no_trace():
    """What a position amounts to does not depend on the labels that were there before."""
    session = Session(X, 2)
    session.tell(0, True)
    assert session.classes == (True,)
    session.correct(0, 0)
    session.correct(0, 1)
    session.tell(1, "1")
    assert session.classes == (1,) and type(session.classes[0]) is int


@pytest.mark.parametrize("told", [[0, 1, 1], [0.0, 1.0, True], [np.float64(0), np.int8(1), "1"]])
@pytest.mark.parametrize("fixed", [True, False])
def test_a_study_takes_its_own_export(told, fixed):
    options: dict[str, Any] = {
        "k": 2,
        "strategy": "random",
        "random_state": 0,
        **({"classes": [0, 1]} if fixed else {}),
    }
    one, two = (Study.create(MemoryStorage(), X, **options) for _ in range(2))
    one.tell([0, 1, 2], told)
    assert two.import_csv(one.export_csv()) == 3
    assert [str(label) for label in two.labels] == [str(label) for label in one.labels]
    assert one.import_csv(one.export_csv()) == 0
    if fixed:
        assert two.labels == [0, 1, 1] and {type(label) for label in two.labels} == {int}


class TestDecimalText:
    """What spreadsheets make of whole numbers finds the class that it equals."""

    def test_known_classes(self):
        for classes in (ClassList([0, 1]), ClassList()):
            classes.code(1)
            assert classes.check_text("1.0") == 1 and type(classes.check_text("1.0")) is int

    def test_otherwise_it_is_text(self):
        assert ClassList().check_text("1.0") == "1.0" and ClassList(["1.0", "2.0"]).check_text("1.0") == "1.0"


class TestParts:
    """Parts in a grid search: by name or as an object, and left as they were."""

    Y = (X[:, 1] > 0).astype(int)

    def test_parameters_of_a_strategy_by_name(self):
        selector = ActiveFeatureSelector(2, strategy="afs").set_params(strategy__psi="l2")
        assert selector.strategy == AFS(psi="l2")
        assert ActiveFeatureSelector(2).set_params(strategy="afs", strategy__safeguard=7).strategy == AFS(safeguard=7)

    def test_fitting_leaves_it_alone(self):
        strategy = AFS()
        before = dict(vars(strategy))
        ActiveFeatureSelector(2, strategy=strategy, budget=20, random_state=0).fit(X, self.Y)
        assert vars(strategy) == before
