"""What the columns of a text file are, decided from what is known of its parts: the same that `as_meant` decides."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from activefs.tables._cells import trimmed
from activefs.tables._doubts import Doubt, nearly_numbers, not_a_number
from activefs.tables._large import too_large
from activefs.tables._patterns import AMOUNT, COMMA_NUMBER
from activefs.tables._text_facts import ParsedFacts, TextFacts, without_signs

_FIRST_AMOUNTS = 20
# The line of a row, by column: a promise, since to find it takes time.
Line = Callable[[str, int], Callable[[], int]]


@dataclass(frozen=True)
class TextColumnPlan:
    """How a column is read: what it is, whether it is read as text first, and what is missing in it.

    Attributes
    ----------
    kind : Arrow type
        What it is.
    from_text : bool
        Whether it is read as text, from which :meth:`made` makes what it is.
    commas : bool
        Whether it is numbers with decimal commas, and points between thousands.
    missing : tuple of str
        Words that mean nothing here.
    """

    kind: Any
    from_text: bool = False
    commas: bool = False
    missing: tuple[str, ...] = ()

    def made(self, written: Any) -> Any:
        """Make of text what it is."""
        import pyarrow as pa
        import pyarrow.compute as pc

        text = trimmed(written)
        if self.missing:
            text = pc.if_else(pc.is_in(text, value_set=pa.array(self.missing)), pa.scalar(None, text.type), text)
        if pa.types.is_string(self.kind):
            return text
        return pc.cast(without_signs(text) if self.commas else text, self.kind)


def must_be_seen(parsed: ParsedFacts, text: TextFacts, sep: str, said: str | None, padded: bool, commas: bool) -> bool:
    """Whether it takes the text of a whole column to say what it is.

    Parameters
    ----------
    parsed, text : facts
        What is known of the column: of all parts, and of those that are text.
    sep, said : str
        The separator, and the decimal sign if somebody said it.
    padded : bool
        Whether a number anywhere in the file may have a zero before it.
    commas : bool
        Whether some column may have decimal commas.
    """
    import pyarrow as pa

    kind = parsed.kind
    if kind is None:
        return True
    if pa.types.is_string(kind):
        return not text.is_text and not parsed.kinds <= {pa.string(), pa.null()}
    if pa.types.is_integer(kind):
        return padded
    if pa.types.is_floating(kind):
        signs = said != "." and (said == "," or sep == ";" or commas)
        return parsed.large is not None or signs
    return False


def plan_columns(
    parsed: Mapping[str, ParsedFacts], texts: Mapping[str, TextFacts], sep: str, said: str | None, line: Line
) -> tuple[dict[str, TextColumnPlan], str, list[Doubt]]:
    """Say what each column is, what the decimal sign is, and what may have been meant otherwise.

    Parameters
    ----------
    parsed : mapping
        What Arrow made of the columns.
    texts : mapping
        What the text of those columns is that had to be seen (:func:`must_be_seen`), or that are text for sure.
    sep, said : str
        The separator, and the decimal sign if somebody said it.
    line : callable
        Promises the line of a column's row.
    """
    import pyarrow as pa

    plans: dict[str, TextColumnPlan] = {}
    doubts: list[Doubt] = []
    for name, facts in parsed.items():
        plans[name], doubt = _plan(name, facts, texts.get(name), line)
        doubts += [doubt] if doubt is not None else []
    floats = [name for name, plan in plans.items() if pa.types.is_floating(plan.kind)]
    written = {name: texts[name] for name, plan in plans.items() if pa.types.is_string(plan.kind)}
    decimal = _with_decimals(plans, parsed, texts, floats, written, sep, said)
    if decimal == "." and said is None and sep == ";":
        decimal, more = _with_thousands(plans, parsed, texts, floats, written, line)
        doubts += more
    told = {doubt.column for doubt in doubts}
    for name, plan in plans.items():
        if name not in told and pa.types.is_string(plan.kind):
            found = _nearly_numbers(name, texts[name], line) or _amounts(name, texts[name], decimal, line)
            doubts += [found] if found is not None else []
    return plans, decimal, doubts


def _plan(name: str, parsed: ParsedFacts, text: TextFacts | None, line: Line) -> tuple[TextColumnPlan, Doubt | None]:
    """Say what a column is by itself, without decimal commas."""
    import pyarrow as pa

    kind = parsed.kind
    if kind is None:
        assert text is not None
        kind = pa.bool_() if text.all["boolean"] else pa.string()
    numbers = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    if text is None or not (numbers or pa.types.is_string(kind)):
        return TextColumnPlan(kind), None
    missing = tuple(text.words) if text.clean else ()
    as_text = TextColumnPlan(pa.string(), from_text=True, missing=missing)
    if not text.clean or not text.all["point"]:
        return (TextColumnPlan(kind) if numbers else as_text), None
    if text.codes and (not pa.types.is_floating(kind) or text.large is not None):
        why = " begins with a zero, as codes do. Amounts are to be written without."
        value = text.values_of[text.padded or 0]
        return as_text, Doubt(name, f"taken as text: {value}", line(name, text.padded or 0), why)
    if text.large is not None and text.all["whole"]:
        if text.uint64:
            return TextColumnPlan(pa.uint64(), from_text=True, missing=missing), None
        return as_text, too_large(name, text.values_of[text.large], line(name, text.large))
    if numbers:
        return TextColumnPlan(kind), None
    return TextColumnPlan(text.number_kind(), from_text=True, missing=missing), None


def _with_decimals(
    plans: dict[str, TextColumnPlan],
    parsed: Mapping[str, ParsedFacts],
    texts: Mapping[str, TextFacts],
    floats: list[str],
    written: Mapping[str, TextFacts],
    sep: str,
    said: str | None,
) -> str:
    if said == ".":
        return "."
    numbers = {name: facts for name, facts in written.items() if has_commas(facts)}
    if said is None and not (numbers and _comma_is_decimal(numbers, sep, _points(parsed, texts, floats))):
        return "."
    for name, facts in numbers.items():
        plans[name] = _grouped(facts)
    for name in floats:
        if name in texts and texts[name].clean and texts[name].all["grouped"]:
            plans[name] = _grouped(texts[name])
    return ","


def has_commas(facts: TextFacts) -> bool:
    """Whether a column is numbers as those write them who put a comma before decimals."""
    first = [value for value in facts.first if value is not None and not (facts.clean and value in facts.words)]
    signs = facts.any["comma"] or facts.any["point"]
    return signs and facts.clean and facts.all["comma"] and all(re.fullmatch(COMMA_NUMBER, value) for value in first)


def _points(parsed: Mapping[str, ParsedFacts], texts: Mapping[str, TextFacts], floats: list[str]) -> bool:
    """Whether some number has decimals behind a point."""
    return any(parsed[name].fractions or (name in texts and texts[name].fractions) for name in floats)


def _comma_is_decimal(numbers: Mapping[str, TextFacts], sep: str, points: bool) -> bool:
    if any(facts.any["clear"] for facts in numbers.values()):
        return sep != "," or not points
    return any(facts.all["commas"] for facts in numbers.values()) and sep == ";" and not points


def _grouped(facts: TextFacts) -> TextColumnPlan:
    return TextColumnPlan(facts.number_kind(grouped=True), from_text=True, commas=True, missing=tuple(facts.words))


def _with_thousands(
    plans: dict[str, TextColumnPlan],
    parsed: Mapping[str, ParsedFacts],
    texts: Mapping[str, TextFacts],
    floats: list[str],
    written: Mapping[str, TextFacts],
    line: Line,
) -> tuple[str, list[Doubt]]:
    numbers = {name: facts for name, facts in written.items() if facts.clean and facts.all["comma"]}
    three = all(parsed[name].thousandths and (name not in texts or texts[name].thousandths) for name in floats)
    if not (floats or numbers) or not three:
        return ".", []
    numbers |= {name: texts[name] for name in floats}
    found = {name: facts for name, facts in numbers.items() if facts.any["point"]}
    beside = any(not facts.all["points"] for facts in found.values())
    grouped = all(numbers[name].clean and numbers[name].all["grouped"] for name in {*found, *floats})
    if not beside or not grouped or any(facts.any["comma"] for facts in numbers.values()):
        return ".", []
    doubts = []
    for name, facts in found.items():
        plans[name] = _grouped(facts)
        row = facts.not_plain["first point"]
        value = facts.values_of[row]
        read = f" as {value.replace('.', '')}. decimal='.' makes decimal points of them."
        doubts.append(Doubt(name, f"read with points between thousands: {value}", line(name, row), read))
    return ",", doubts


def _nearly_numbers(name: str, facts: TextFacts, line: Line) -> Doubt | None:
    if facts.clean or facts.codes or not nearly_numbers(facts.numbers, facts.rows - facts.nulls, len(facts.words)):
        return None
    value, row = min(facts.words.items(), key=lambda item: item[1])
    return not_a_number(name, value, line(name, row), len(facts.words) - 1)


def _amounts(name: str, facts: TextFacts, decimal: str, line: Line) -> Doubt | None:
    first = [value for value in facts.first[:_FIRST_AMOUNTS] if value is not None]
    row = facts.not_plain.get(decimal)
    if not first or row is None or not facts.all["amount"] or not facts.many:
        return None
    if not all(re.fullmatch(AMOUNT, value) for value in first):
        return None
    advice = " is no plain number. Amounts are to be written like 1234.5, without other signs."
    return Doubt(name, f"taken as text: {facts.values_of[row]!r}", line(name, row), advice)
