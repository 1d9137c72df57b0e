"""Labels of a study as CSV, out and in again."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from activefs.codec import text_of
from activefs.engine import ClassList
from activefs.exceptions import InvalidInputError
from activefs.study._engine import StudyEngine
from activefs.study._rules import Imported, Person
from activefs.study._settings import check_text
from activefs.study.exports import ANSWER, KNOWN, MARK, SECOND, SKIPPED, Format, as_it_was, export, time_text
from activefs.tables import (
    Dialect,
    as_utf8,
    clear_commas,
    find_separator,
    refuse_other_kinds,
    said_in_file,
    what_is_wrong,
    with_point,
)

_SAMPLE = 1 << 16
_TRUTH = {"": False, "no": False, "false": False, "0": False, "yes": True, "true": True, "1": True}


def export_csv(engine: StudyEngine) -> str:
    """Write all labels and skips, in the order in which they count; as :meth:`activefs.Study.export_csv`.

    Parameters
    ----------
    engine : StudyEngine
        The study: `Study.engine`.

    Returns
    -------
    str
        The CSV.

    Examples
    --------
    >>> from activefs import Study
    >>> from activefs.study import export_csv
    >>> study = Study.create("memory:", [[0, 1], [1, 1], [1, 0]], k=1, strategy="random", annotator="ann")
    >>> study.tell(2, "ill")
    >>> print(export_csv(study.engine))
    row,label,annotator,time,kind
    2,ill,ann,...Z,known
    """
    return b"".join(export(engine, Format.CSV).pieces).decode()


def read_csv(engine: StudyEngine, content: str | bytes, who: Person, dialect: Dialect | None = None) -> list[Imported]:
    """Read labels from CSV: the columns row and label, and if they are there those that an export has besides.

    Raises
    ------
    InvalidInputError
        If a line cannot be understood; the message says which one.
    """
    text, sep, before = _text(content, dialect or Dialect())
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=sep, strict=True)
    try:
        head = [name.strip() for name in reader.fieldnames or []]
        reader.fieldnames = head
        if twice := [name for name in dict.fromkeys(head) if head.count(name) > 1]:
            raise InvalidInputError(f"the file has more than one column {twice[0]!r}")
        row_column = _row_column(engine, head)
        now = engine.clock()
        with engine.reading() as state:
            classes = engine.rules.classes(state)
        records: list[tuple[str, dict[str, str]]] = []
        for record in reader:
            line = f"line {before + reader.line_num}"
            if None in record or None in record.values():
                raise InvalidInputError(f"{line} of the file has another number of cells than its head")
            if record.get(MARK, "").strip():
                record = {name: as_it_was(cell) for name, cell in record.items()}
            records.append((line, record))
        if _decimal_commas([record["label"] for _, record in records], sep, dialect):
            known = {text_of(label) for label in classes.values}  # a class may be called 1,5
            for _, record in records:
                if text_of(record["label"]) not in known:
                    record["label"] = with_point(record["label"])
        found: dict[int, Imported] = {}
        if records:
            engine.names.prepare()  # what is wrong with the table is not wrong with a line
        for line, record in records:
            try:
                answer = _read(engine, classes, record, row_column, who, now)
            except InvalidInputError as error:
                raise InvalidInputError(f"{line} of the file: {error}") from None
            if answer.row in found and found[answer.row].label != answer.label:
                raise InvalidInputError(
                    f"{line} of the file gives row {record[row_column]} another label than a line before"
                )
            found.setdefault(answer.row, answer)
    except csv.Error as error:
        wrong = what_is_wrong(text, sep, 1 + before) or f"{error} (line {before + reader.reader.line_num})"
        raise InvalidInputError(f"the file is no CSV that could be read: {wrong}") from None
    return list(found.values())


def import_csv(
    engine: StudyEngine, content: str | bytes, who: Person, dialect: Dialect | None = None
) -> tuple[int, int]:
    r"""Take all labels of a CSV file, or none; as :meth:`activefs.Study.import_labels`.

    Parameters
    ----------
    engine : StudyEngine
        The study: `Study.engine`.
    content : str or bytes
        What the file holds: the columns row and label, and if they are there those that an export has besides.
    who : Person
        Who imports them, an owner of the study: `Study.person`.
    dialect : Dialect, optional
        Separator, decimal sign and encoding; by default they are found out.

    Returns
    -------
    tuple of (int, int)
        How many were new, and how many are in the file.

    Raises
    ------
    InvalidInputError
        If a line cannot be understood, or contradicts a label of the study; the message says which one.
    NotAllowedError
        If `who` is no owner.

    Examples
    --------
    >>> from activefs import Study
    >>> from activefs.study import import_csv
    >>> study = Study.create("memory:", [[0, 1], [1, 1], [1, 0]], k=1, strategy="random")
    >>> import_csv(study.engine, "row,label\n0,ill\n2,healthy\n", study.person)
    (2, 2)
    """
    answers = read_csv(engine, content, who, dialect)
    return engine.import_answers(who, answers), len(answers)


def _text(content: str | bytes, dialect: Dialect) -> tuple[str, str, int]:
    """The text of a file, its separator, and how many lines are before its head."""
    if isinstance(content, bytes):
        try:
            refuse_other_kinds(content)
            content = as_utf8(content, dialect.encoding)[0].decode()
        except InvalidInputError as error:
            raise InvalidInputError(f"the file is no CSV that could be read: {error}") from None
    text = content.removeprefix("\ufeff")
    said = said_in_file(text[:16].encode("utf-8", "ignore"))
    if said is not None:
        text = text[said[1] :]
    sep = dialect.sep or (said[0] if said else find_separator(text[:_SAMPLE], cut=len(text) > _SAMPLE))
    return text, sep, 0 if said is None else 1


def _decimal_commas(labels: list[str], sep: str, dialect: Dialect | None) -> bool:
    """Whether the labels are numbers with decimal commas; an export, which has commas between columns, has none."""
    if dialect is not None and dialect.decimal is not None:
        return dialect.decimal == ","
    return sep != "," and clear_commas(labels)


def _row_column(engine: StudyEngine, head: list[str]) -> str:
    if "label" not in head:
        raise InvalidInputError(
            "the file must have a column 'label' in its first line, with commas or semicolons between the columns; "
            f"it has {', '.join(map(repr, head[:20])) or 'none'}"
        )
    names = [n for n in ("row", engine.settings.id_column, "id") if n is not None and n in head]
    if not names:
        raise InvalidInputError(
            f"the file must name the rows in a column 'row'; it has {', '.join(map(repr, head[:20]))}"
        )
    return names[0]


def _read(
    engine: StudyEngine, classes: ClassList, record: dict[str, str], row_column: str, who: Person, now: datetime
) -> Imported:
    row = engine.names.row(record[row_column])
    kind = record.get("kind", "").strip() or (KNOWN if record["label"].strip() else SKIPPED)
    if kind not in (ANSWER, KNOWN, SKIPPED):
        raise InvalidInputError(f"kind must be {ANSWER}, {KNOWN} or {SKIPPED}, got {kind!r}")
    annotator = check_text(record.get("annotator", "").strip() or who.name, "the name of an annotator")
    if kind == SKIPPED and record["label"].strip():
        raise InvalidInputError(f"a row of kind {SKIPPED} must have no label, got {record['label'][:80]!r}")
    if kind != SKIPPED and not record["label"].strip():
        raise InvalidInputError(f"a row of kind {kind} must have a label; if nobody knows it, the kind is {SKIPPED}")
    label = None if kind == SKIPPED else engine.rules.checked(classes, record["label"], text=True)
    time = _time(record.get("time", "").strip(), now)
    remarks = _remarks(engine, classes, record, time)
    first = Imported(row, label, annotator, time, asked=kind == ANSWER, remarks=remarks)
    if kind != SKIPPED and record.get(f"{SECOND}annotator", "").strip():
        return _with_second(engine, classes, record, first, now)
    return first


def _with_second(
    engine: StudyEngine, classes: ClassList, record: dict[str, str], first: Imported, now: datetime
) -> Imported:
    """Read what a second annotator said about a row, and what an owner decided: then `label` is that."""
    own = {name.removeprefix(SECOND): cell for name, cell in record.items() if name.startswith(SECOND)}
    said = own.get("label", "").strip()
    label = engine.rules.checked(classes, said, text=True) if said else None
    annotator = check_text(own["annotator"].strip(), "the name of an annotator")
    if annotator == first.annotator:
        raise InvalidInputError(f"{annotator!r} cannot be both annotators of a row")
    time = _time(own.get("time", "").strip(), now)
    remarks = _remarks(engine, classes, own, time)
    second = Imported(first.row, label, annotator, time, asked=True, remarks=remarks)
    by = record.get("settled_by", "").strip()
    if not by:
        return replace(first, second=second)
    when = _time(record.get("settled_at", "").strip(), now)
    settled = Imported(first.row, first.label, check_text(by, "the name of an owner"), when)
    before = record.get("first_label", "").strip() or record["label"]
    return replace(first, label=engine.rules.checked(classes, before, text=True), second=second, settled=settled)


def _remarks(engine: StudyEngine, classes: ClassList, record: dict[str, str], time: datetime) -> dict[str, Any] | None:
    """Read what was corrected, noted and flagged, as the log keeps it; None if nothing was."""
    found: dict[str, Any] = {}
    old, by, at = (record.get(f"corrected_{name}", "").strip() for name in ("from", "by", "at"))
    if by:
        label = None if not old else classes.check_text(old)
        when = time_text(_time(at, time))
        found["correction"] = {"label": label, "annotator": check_text(by, "the name of an annotator"), "time": when}
    elif old or at:
        raise InvalidInputError("it says that a label was corrected, but not who did so (corrected_by)")
    if note := engine.rules.check_note(record.get("note")):
        found["note"] = note
    flagged = record.get("flagged", "").strip().lower()
    if flagged not in _TRUTH:
        raise InvalidInputError(f"flagged must be true or false, got {flagged[:80]!r}")
    return found | ({"flag": True} if _TRUTH[flagged] else {}) or None


def _time(text: str, now: datetime) -> datetime:
    if not text:
        return now
    try:
        time = datetime.fromisoformat(text)
        return time.astimezone(UTC) if time.tzinfo is not None else time.replace(tzinfo=UTC)
    except (ValueError, OverflowError):  # a time zone may lead out of the calendar
        raise InvalidInputError(f"the time must look like 2024-05-01T12:00:00Z, got {text[:80]!r}") from None
