"""Exports: what is wanted, in the format that is wanted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import Any

from activefs.exceptions import InvalidInputError
from activefs.study._engine import StudyEngine
from activefs.study.exports._labels import has_remarks, in_order, label_fields
from activefs.study.exports._log import log_fields
from activefs.study.exports._sheet import Field, FieldKind, Sheet
from activefs.study.exports._spreadsheet import MARK


class Format(StrEnum):
    """What an export is written as.

    Examples
    --------
    >>> Format("jsonl") is Format.JSON_LINES
    True
    """

    CSV = "csv"
    JSON_LINES = "jsonl"
    PARQUET = "parquet"


FORMATS = {
    Format.CSV: "text/csv",
    Format.JSON_LINES: "application/x-ndjson",
    Format.PARQUET: "application/vnd.apache.parquet",
}
"""Formats, with their media types."""

_ENDINGS = {
    "": Format.CSV,
    ".csv": Format.CSV,
    ".txt": Format.CSV,
    ".jsonl": Format.JSON_LINES,
    ".ndjson": Format.JSON_LINES,
    ".parquet": Format.PARQUET,
}


@dataclass(frozen=True)
class Export:
    """What is written: made piece by piece as `pieces` is walked through, which can be done once.

    Attributes
    ----------
    format : Format
        What it is written as.
    content : str
        What it holds: ``labels``, or ``log``; its `file_name` begins with it.
    lines : int
        Answers or entries that it holds, the head not counted.
    pieces : iterator of bytes
        The file, some lines at a time.

    See Also
    --------
    export : Makes one.
    """

    format: Format
    content: str
    lines: int
    pieces: Iterator[bytes]

    @property
    def media_type(self) -> str:
        """Its type on the web: str, such as ``text/csv``."""
        return FORMATS[self.format]

    @property
    def file_name(self) -> str:
        """Name of the file, if nobody says another: str, such as ``labels.csv``."""
        return f"{self.content}.{self.format}"


def export(
    engine: StudyEngine,
    format: Format = Format.CSV,
    *,
    joined: bool = False,
    log: bool = False,
    spreadsheet_safe: bool = False,
) -> Export:
    """Write the labels of a study, or its log; all that can go wrong does so before the first piece is made.

    Parameters
    ----------
    engine : StudyEngine
        The study: `Study.engine`.
    format : Format, default Format.CSV
        What it is written as.
    joined : bool, default False
        Whether the columns of the table come with the labels.
    log : bool, default False
        Write the log instead of the labels.
    spreadsheet_safe : bool, default False
        Whether cells of CSV that a spreadsheet would take for a formula get an apostrophe.

    Returns
    -------
    Export
        What is written, piece by piece.

    Raises
    ------
    InvalidInputError
        If settings contradict each other, such as `joined` and `log`.

    See Also
    --------
    activefs.Study.export : To a file.

    Examples
    --------
    >>> from activefs import Study
    >>> from activefs.study import Format, export
    >>> study = Study.create("memory:", [[0, 1], [1, 1], [1, 0]], k=1, strategy="random", annotator="ann")
    >>> study.tell([2, 0], ["ill", "healthy"])
    >>> found = export(study.engine, Format.JSON_LINES)
    >>> found.lines, b"".join(found.pieces)[:26]
    (2, b'{"row": 2, "label": "ill",')
    """
    if spreadsheet_safe and format is not Format.CSV:
        raise InvalidInputError(f"spreadsheet-safe is about cells of CSV; nothing in {format} can be a formula")
    if joined and log:
        raise InvalidInputError("the log is not joined with the table, labels are: ask for one of the two")
    title = engine.settings.title
    if log:
        sheet = Sheet("log", title, log_fields(engine))
    else:
        sheet = _labels(engine, title, format, joined, mark=spreadsheet_safe)
    return Export(format, sheet.content, len(sheet), _started(_pieces(sheet, format, spreadsheet_safe)))


def format_of(path: Path | None, said: str | None = None) -> Format:
    """Find the format of a file: what is said, else what its name ends in, else CSV.

    Examples
    --------
    >>> str(format_of(Path("labels.ndjson"))), str(format_of(None, "parquet"))
    ('jsonl', 'parquet')
    """
    known = ", ".join(Format)
    if said is not None:
        if said not in list(Format):
            raise InvalidInputError(f"the format must be one of {known}, got {said!r}")
        return Format(said)
    ending = "" if path is None else path.suffix.lower()
    if ending not in _ENDINGS:
        raise InvalidInputError(
            f"what {path} is to be written as cannot be seen from {ending!r}: let its name end in .csv, .jsonl or "
            f".parquet, or name the format ({known})"
        )
    return _ENDINGS[ending]


def _labels(engine: StudyEngine, title: str, format: Format, with_table: bool, *, mark: bool) -> Sheet:
    with engine.reading() as state:
        answers = list(in_order(state))
        # A CSV file is what it always was, as long as there is nothing new to say.
        remarks = format is not Format.CSV or has_remarks(answers)
        twice = bool(state.overlap.answers) or (format is not Format.CSV and engine.settings.overlap > 0)
        fields = label_fields(engine, answers, state.overlap, remarks=remarks, twice=twice)
    if mark:
        fields = (*fields, Field(MARK, FieldKind.TEXT, ["yes"] * len(answers)))
    table: Any = None
    if with_table:
        from activefs.study.exports._joined import joined

        table = joined(engine, [a.row for a in answers])
    return Sheet("labels", title, fields, table)


def _started(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Make the first piece now: what cannot be written is an error here, not in the middle of a download."""
    first = next(pieces, b"")
    return chain((first,), pieces)


def _pieces(sheet: Sheet, format: Format, spreadsheet_safe: bool) -> Iterator[bytes]:
    if format is Format.CSV:
        from activefs.study.exports._csv import csv_lines

        return csv_lines(sheet, spreadsheet_safe=spreadsheet_safe)
    if format is Format.JSON_LINES:
        from activefs.study.exports._json_lines import json_lines

        return json_lines(sheet)
    from activefs.study.exports._parquet import parquet_pieces

    return parquet_pieces(sheet)
