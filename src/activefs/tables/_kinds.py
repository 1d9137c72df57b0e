"""Which kinds of files there are, told by the end of the name and checked by the first bytes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePath

from activefs.exceptions import InvalidInputError

TEXT = (".csv", ".tsv", ".txt")
JSON_LINES = (".jsonl", ".ndjson")
ARROW = (".feather", ".arrow")
PARQUET = (".parquet", ".pq", ".parq")
FORMATS = (*TEXT, ".parquet", *ARROW, ".xlsx", *JSON_LINES, ".mat")
COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}
# Settings that have a meaning for a kind.
_SETTINGS = dict.fromkeys(TEXT, ("sep", "decimal", "encoding")) | dict.fromkeys(JSON_LINES, ("encoding",))
_SETTINGS |= {".xlsx": ("sheet",)}
# Known, but not read.
_INSTEAD = dict.fromkeys((".xls", ".xlsb", ".xlsm", ".ods", ".numbers"), "save it as .xlsx or .csv in your spreadsheet")
_INSTEAD |= {".json": "write one JSON object per line, in a file that ends with .jsonl"}
_INSTEAD |= dict.fromkeys(
    (".zip", ".7z", ".tar", ".rar", ".xz"), "unpack it first (or pack it with gzip, bzip2 or zstd)"
)
_SIGNATURES = {
    b"PK\x03\x04": ("an Excel or zip file", "rename it to .xlsx if it is from Excel, else unpack it"),
    b"\xd0\xcf\x11\xe0": ("an Excel file of before 2007", "save it as .xlsx or .csv in your spreadsheet"),
    b"PAR1": ("a Parquet file", "rename it to .parquet"),
    b"ARROW1": ("a Feather file", "rename it to .feather"),
    b"FEA1": ("a Feather file", "rename it to .feather"),
    b"\x1f\x8b": ("compressed with gzip", "let its name end with .gz"),
    b"BZh": ("compressed with bzip2", "let its name end with .bz2"),
    b"\x28\xb5\x2f\xfd": ("compressed with zstd", "let its name end with .zst"),
    b"MATLAB 5.0 MAT-file": ("a MATLAB file", "rename it to .mat"),
    b"SQLite format 3": ("a SQLite database", "write the table to a .csv file first"),
    b"%PDF": ("a PDF", "a table must be in a file of its own"),
    b"<!doctype html": ("a web page", "download the table itself"),
    b"<html": ("a web page", "download the table itself"),
}


@dataclass(frozen=True)
class FileKind:
    """What a file is by its name: the end that says its format, and the name of its compression, if it has one."""

    suffix: str
    compression: str | None = None

    @classmethod
    def by_name(cls, path: PurePath) -> FileKind:
        """Tell the kind of a file that may be elsewhere."""
        ending_of(path)
        return cls(*_suffixes(path))

    @property
    def name(self) -> str:
        """The format, for people."""
        return self.suffix[1:]


def kind_of(path: Path) -> FileKind:
    """Return the kind of a file by the end of its name; refuse others, and a file that is not there.

    Examples
    --------
    >>> kind_of(Path("table.doc"))
    Traceback (most recent call last):
    activefs.exceptions.InvalidInputError: table.doc is of no known kind: its name must end with .csv, .tsv, ...
    >>> kind_of(Path("table.xls"))
    Traceback (most recent call last):
    activefs.exceptions.InvalidInputError: table.xls cannot be read: save it as .xlsx or .csv in your spreadsheet
    """
    suffix, compression = _suffixes(path)
    try:
        if path.is_dir():
            raise InvalidInputError(f"{path} is a folder: name the file in it that holds the table")
        ending_of(path)
        if not path.is_file():
            raise InvalidInputError(f"there is no file {path}")
        with path.open("rb"):
            pass
    except OSError as error:  # the file may not be read, or its folder may not be looked into
        raise InvalidInputError(f"{path} cannot be read: {error.strerror}; ask for the right to read it") from None
    return FileKind(suffix, compression)


def ending_of(path: PurePath) -> str:
    """Return the end of a file's name that says its kind; refuse other kinds.

    Examples
    --------
    >>> ending_of(PurePath("Patients 2026.CSV.gz")), ending_of(PurePath("patients.pq"))
    ('.csv.gz', '.parquet')
    """
    suffix, compression = _suffixes(path)
    if suffix in _INSTEAD:
        raise InvalidInputError(f"{path} cannot be read: {_INSTEAD[suffix]}")
    if suffix not in FORMATS:
        raise InvalidInputError(f"{path} is of no known kind: its name must end with {', '.join(FORMATS)}")
    if compression is not None and suffix not in (*TEXT, *JSON_LINES):
        raise InvalidInputError(f"{path} cannot be read: a {suffix} file must not be compressed; unpack it first")
    return suffix + next((end for end, name in COMPRESSIONS.items() if name == compression), "")


def _suffixes(path: PurePath) -> tuple[str, str | None]:
    suffixes = [s.lower() for s in path.suffixes]
    compression = COMPRESSIONS.get(suffixes.pop()) if suffixes and suffixes[-1] in COMPRESSIONS else None
    suffix = suffixes[-1] if suffixes else ""
    return PARQUET[0] if suffix in PARQUET else suffix, compression


def settings_of(path: PurePath) -> tuple[str, ...]:
    """Name the settings that say how a file of this kind is read.

    Examples
    --------
    >>> settings_of(PurePath("patients.csv.gz")), settings_of(PurePath("patients.xlsx"))
    (('sep', 'decimal', 'encoding'), ('sheet',))
    """
    return _SETTINGS.get(_suffixes(path)[0], ())


def refuse_settings(path: Path, kind: FileKind, said: dict[str, str]) -> None:
    """Refuse settings that say nothing about a file of this kind."""
    for name in said:
        if name not in _SETTINGS.get(kind.suffix, ()):
            what = "an Excel file" if name == "sheet" else "a text file"
            raise InvalidInputError(f"{name} says how {what} is read, which {path.name} is not: leave it out")


def refuse_other_kinds(content: bytes) -> None:
    """Refuse text that is in fact something else."""
    start = content[:64].lstrip().lower() if content[:1] in b"<\n\r\t " else content[:64]
    for signature, (what, advice) in _SIGNATURES.items():
        if start.startswith(signature):
            raise InvalidInputError(f"it is in fact {what}: {advice}")
