"""What is known of the columns of a text file that is read in parts: enough to say what each column is in all of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from activefs.tables._cells import AMONG_NUMBERS, trimmed
from activefs.tables._doubts import MOST_OTHERS
from activefs.tables._patterns import AMOUNT, COMMA_NUMBER, GROUPED, POINT_NUMBER, UNCLEAR, anchored

_NUMBER = f"{POINT_NUMBER}|{COMMA_NUMBER}"
_WHOLE = "[+-]?[0-9]+"
_LARGEST = 2.0**63
_MOST_WORDS, _FIRST, _FEW = 20, 100, 10
_BOOLEANS = ("0", "1", "true", "false", "True", "False", "TRUE", "FALSE")
# What must hold of all numbers of a column.
_OF_NUMBERS = {"point": POINT_NUMBER, "comma": COMMA_NUMBER, "whole": _WHOLE, "grouped": GROUPED}


@dataclass
class ParsedFacts:
    """What Arrow makes of a column, part by part.

    Attributes
    ----------
    kinds : set of Arrow types
        What it made of the parts.
    fractions, thousandths : bool
        Whether some number is not whole; whether none has more than three decimals.
    large : int or None
        First row with a float that no signed integer of 64 bits holds.
    """

    kinds: set[Any] = field(default_factory=set)
    fractions: bool = False
    thousandths: bool = True
    large: int | None = None

    def add(self, column: Any, start: int) -> None:
        """Take the next part, whose first row is `start`."""
        import pyarrow as pa

        self.kinds.add(column.type)
        if pa.types.is_floating(column.type):
            _add_floats(self, column, start)

    @property
    def kind(self) -> Any | None:
        """What Arrow would make of all parts together; None if they must be seen as text to know it."""
        import pyarrow as pa

        kinds = self.kinds - {pa.null()}
        if len(kinds) < 2:
            return next(iter(kinds), pa.null())
        if kinds == {pa.int64(), pa.float64()}:
            return pa.float64()
        times = [pa.date32(), pa.timestamp("s"), pa.timestamp("ns")]
        if kinds <= set(times):
            return max(kinds, key=times.index)
        return None if kinds == {pa.int64(), pa.bool_()} else pa.string()


def _add_floats(facts: ParsedFacts | TextFacts, column: Any, start: int) -> None:
    import pyarrow.compute as pc

    if not facts.fractions:
        facts.fractions = bool(pc.any(pc.not_equal(column, pc.floor(column))).as_py())
    if facts.thousandths:
        facts.thousandths = _all(pc.equal(pc.round(column, 3), column))
    if facts.large is None:
        row = pc.index(pc.greater_equal(pc.abs(column), _LARGEST), True).as_py()
        facts.large = start + row if row >= 0 else None


class TextFacts:
    """What the text of a column is, part by part; the same predicates that `as_meant` asks of all of it.

    Values that are no numbers are `words`; what is said of numbers is said of the others.

    Examples
    --------
    >>> import pyarrow as pa
    >>> facts = TextFacts()
    >>> facts.add(pa.array(["1", "2"]), 0)
    >>> facts.add(pa.array(["-", "3.5"]), 2)
    >>> facts.all["point"], facts.words, facts.clean, facts.number_kind()
    (True, {'-': 2}, True, DataType(double))
    """

    def __init__(self) -> None:
        self.rows = self.nulls = self.numbers = 0
        self.first: list[str | None] = []
        self.words: dict[str, int] = {}  # with the first row of each
        self.all = dict.fromkeys((*_OF_NUMBERS, "amount", "boolean", "commas", "points"), True)
        self.any = dict.fromkeys(("comma", "point", "exponent", "clear"), False)
        self.not_plain: dict[str, int] = {}  # first row that is no number with a decimal point, or with a comma
        self.values_of: dict[int, str] = {}  # what is in rows that may have to be told
        self.padded: int | None = None
        self.int64 = self.uint64 = self.grouped_int64 = True
        self.fractions, self.thousandths = False, True
        self.large: int | None = None
        self._distinct: set[str] = set()
        self._different: set[str] = set()

    @property
    def is_text(self) -> bool:
        """Whether nothing that may still come makes anything but text of it, nor is anything to be told."""
        if self.all["amount"] or self.all["boolean"]:
            return False
        many = len(self.words)
        return many > _MOST_WORDS or (many > MOST_OTHERS and not all(w.casefold() in AMONG_NUMBERS for w in self.words))

    @property
    def clean(self) -> bool:
        """Whether all are numbers but for words that mean nothing among numbers."""
        if not self.words:
            return self.nulls < self.rows
        few = len(self.words) <= _MOST_WORDS and len(self._different) > 1
        return few and all(word.casefold() in AMONG_NUMBERS for word in self.words)

    @property
    def many(self) -> bool:
        """Whether there are more than a few different values."""
        return len(self._distinct) > _FEW

    @property
    def codes(self) -> bool:
        """Whether numbers are whole, and one has a zero before it."""
        return self.padded is not None and self.all["whole"]

    def number_kind(self, grouped: bool = False) -> Any:
        """Return the type of the numbers, which may have decimal commas and points between thousands."""
        import pyarrow as pa

        if grouped:
            signs = self.any["comma"] or self.any["exponent"]
            return pa.int64() if self.grouped_int64 and not signs else pa.float64()
        return pa.int64() if self.int64 else pa.float64()

    def add(self, written: Any, start: int) -> None:
        """Take the next part, whose first row is `start`."""
        import pyarrow as pa
        import pyarrow.compute as pc

        text = trimmed(written)
        if len(self.first) < _FIRST:
            self.first += text.slice(0, _FIRST - len(self.first)).to_pylist()
        self.rows += len(text)
        self.nulls += text.null_count
        if self.is_text:
            return
        if not self.many:
            self._distinct.update(pc.unique(text).drop_null().slice(0, _FEW + 1).to_pylist())
        matches = pc.match_substring_regex(text, anchored(_NUMBER))
        others = pc.sum(pc.invert(matches)).as_py() or 0
        self.numbers += len(text) - text.null_count - others
        if others:
            self._add_words(text, matches, start)
        self._add_predicates(written, text, start)
        if not self.is_text:
            self._add_numbers(pc.if_else(matches, text, pa.scalar(None, text.type)), start)

    def _add_words(self, text: Any, matches: Any, start: int) -> None:
        import pyarrow.compute as pc

        if len(self.words) > _MOST_WORDS:
            return
        for word in pc.unique(pc.filter(text, pc.invert(matches))).drop_null().slice(0, 2 * _MOST_WORDS).to_pylist():
            if len(self.words) <= _MOST_WORDS and word not in self.words:
                self.words[word] = start + pc.index(text, word).as_py()

    def _add_predicates(self, written: Any, text: Any, start: int) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        if self.all["boolean"]:
            self.all["boolean"] = _all(pc.is_in(written.drop_null(), pa.array(_BOOLEANS)))
        if self.all["amount"]:
            self.all["amount"] = _all(pc.match_substring_regex(text, anchored(AMOUNT)))
        if self.all["amount"]:
            for sign, pattern in ((".", POINT_NUMBER), (",", COMMA_NUMBER)):
                if sign not in self.not_plain:
                    plain = pc.fill_null(pc.match_substring_regex(text, anchored(pattern)), True)
                    if (row := pc.index(plain, False).as_py()) >= 0:
                        self._note(self.not_plain, sign, text, row, start)

    def _note(self, rows: dict[str, int], name: str, text: Any, row: int, start: int) -> None:
        rows[name] = start + row
        self.values_of[start + row] = text[row].as_py()

    def _add_numbers(self, numbers: Any, start: int) -> None:
        import pyarrow.compute as pc

        if numbers.null_count == len(numbers):
            return
        if len(self._different) < 2:
            self._different.update(pc.unique(numbers).drop_null().slice(0, 2).to_pylist())
        for name, pattern in _OF_NUMBERS.items():
            self.all[name] = self.all[name] and _all(pc.match_substring_regex(numbers, anchored(pattern)))
        if self.all["whole"] and self.padded is None:
            padded = pc.and_(pc.starts_with(numbers, "0"), pc.greater(pc.binary_length(numbers), 1))
            if (row := pc.index(padded, True).as_py()) >= 0:
                self.padded, self.values_of[start + row] = start + row, numbers[row].as_py()
        self._add_signs(numbers, start)
        self._add_casts(numbers, start)

    def _add_signs(self, numbers: Any, start: int) -> None:
        import pyarrow.compute as pc

        commas = pc.match_substring(numbers, ",")
        points = pc.match_substring(numbers, ".")
        for name, found in (("comma", commas), ("point", points)):
            if not self.any[name] and (row := pc.index(found, True).as_py()) >= 0:
                self.any[name] = True
                self._note(self.not_plain, f"first {name}", numbers, row, start)
        self.all["commas"] = self.all["commas"] and _all(commas)
        self.all["points"] = self.all["points"] and _all(points)
        self.any["exponent"] |= bool(pc.any(pc.match_substring_regex(numbers, "[eE]")).as_py())
        if self.any["comma"] and not self.any["clear"]:
            unclear = pc.match_substring_regex(numbers, anchored(UNCLEAR))
            self.any["clear"] = bool(pc.any(pc.and_not(commas, unclear)).as_py())

    def _add_casts(self, numbers: Any, start: int) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        whole = cast_or_none(numbers, pa.int64()) if self.int64 or self.all["whole"] else None
        if whole is None:
            self.int64 = False
            self.uint64 = self.uint64 and cast_or_none(numbers, pa.uint64()) is not None
            if self.all["point"] and (floats := cast_or_none(numbers, pa.float64())) is not None:
                _add_floats(self, floats, start)
                if self.large is not None and self.large >= start:
                    self.values_of[self.large] = numbers[self.large - start].as_py()
        elif self.uint64:
            self.uint64 = bool((pc.min(whole).as_py() or 0) >= 0)
        if self.grouped_int64 and self.any["point"] and self.all["comma"] and not self.any["comma"]:
            self.grouped_int64 = cast_or_none(without_signs(numbers), pa.int64()) is not None


def _all(holds: Any) -> bool:
    """Whether something holds of all values that are there; a part may be without any."""
    import pyarrow.compute as pc

    return bool(pc.all(holds, min_count=0).as_py())


def cast_or_none(column: Any, kind: Any) -> Any | None:
    """Text as numbers of a type; None if some value is none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        return pc.cast(column, kind)
    except pa.ArrowInvalid:
        return None


def without_signs(column: Any) -> Any:
    """Numbers with decimal commas as numbers with points, and without points between thousands."""
    import pyarrow.compute as pc

    return pc.replace_substring(pc.replace_substring_regex(column, r"[\s.+]", ""), ",", ".")
