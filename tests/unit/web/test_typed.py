"""What people type into the form of a new study."""

import pytest

from activefs.exceptions import InvalidInputError
from activefs.tables import Dialect
from activefs.web._how_read import in_form, said_in
from activefs.web._typed import described_in, share_in


@pytest.mark.parametrize(
    ("said", "share"),
    [("", None), (" ", None), ("0", 0.0), ("10", 0.1), ("12,5 %", 0.125), ("2.5%", 0.025), ("100", 1.0)],
)
def test_shares(said, share):
    assert share_in(said) == share


@pytest.mark.parametrize("said", ["-1", "101", "100.1", "1e2", "nan", "inf", "ten", "1.000.000", "٥"])
def test_no_shares(said):
    with pytest.raises(InvalidInputError, match="from 0 to 100 percent"):
        share_in(said)


def test_descriptions_of_classes_with_colons():
    said = "1:2 : one to two\r\n1:2:4: one to four\n\n1: one"
    assert described_in(said, ["1", "1:2", "1:2:4"]) == {"1:2": "one to two", "1:2:4": "one to four", "1": "one"}
    assert described_in("other: thing", ["ill"]) == {"other": "thing"}  # whether it is a class is said later


@pytest.mark.parametrize("said", ["ill", "ill:", ": text", "ill: a\nill : b"])
def test_no_descriptions(said):
    with pytest.raises(InvalidInputError):
        described_in(said, ["ill"])


@pytest.mark.parametrize("sep", [",", ";", "\t", "|", " ", "^"])
def test_what_is_shown_of_a_separator_is_read_as_it(sep):
    dialect = Dialect(sep=sep, decimal=",", encoding="cp1252", sheet=" a ")
    assert said_in(in_form(dialect)) == dialect and said_in({"sep": sep}).sep == sep
