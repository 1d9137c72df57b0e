"""Text files with columns: csv and its relatives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from activefs.constraints import RULES
from activefs.exceptions import InvalidInputError
from activefs.tables._cells import NOTHING, may_pad
from activefs.tables._decimals import with_decimals
from activefs.tables._dialect import Dialect, between
from activefs.tables._doubts import Doubt
from activefs.tables._encoding import UndecodableError, as_utf8
from activefs.tables._nameless import without_nameless
from activefs.tables._rows_of_text import line_of, place_after, swallowed_rows, what_is_wrong
from activefs.tables._separator import beginning, find_separator, said_in_file
from activefs.tables._text_columns import as_meant

USUAL_SEPARATORS = {".tsv": "\t"}
_BLOCK = 1 << 20


def read_text_table(content: bytes, kind: str, said: Dialect, rules: int = RULES) -> tuple[Any, Dialect, list[Doubt]]:
    """Read a text file as an Arrow table; returns also how it is written, and what may have been meant otherwise.

    Parameters
    ----------
    content : bytes
        The file.
    kind : str
        The end of its name; of a .tsv file, tabs are expected.
    said : Dialect
        What need not be found out.
    rules : {2, 1}
        By rules 1 a column is what its values look like, each for itself: see `RULES`.

    Raises
    ------
    InvalidInputError
        The message names the line.
    """
    import pyarrow as pa

    try:
        text, encoding = as_utf8(content, said.encoding)
    except UndecodableError as error:
        raise InvalidInputError(f"{_place(content, error, kind, said)}: {error}") from None
    if not text[:_BLOCK].strip() and not text.strip():
        raise InvalidInputError("it is empty")
    line = 1
    sep = said.sep
    if (found := said_in_file(text)) is not None:
        sep, text, line = sep or found[0], text[found[1] :], 2
    if sep is None:
        sample, cut = beginning(text)
        sep = find_separator(sample, USUAL_SEPARATORS.get(kind, ","), cut)
    if b"\n" not in text and b"\r" not in text:  # a header only; Arrow wants to see where it ends
        text += b"\n"
    quotes = text.count(b'"')
    if quotes % 2:  # a field may hold a single quote, but it may also be that one is not closed
        _refuse_open_quote(text, sep, line)

    try:
        table = _parsed(text, sep, quotes > 0, rules)
    except pa.ArrowInvalid as error:
        wrong = what_is_wrong(text.decode(), sep, line)
        if wrong is None:
            raise
        raise InvalidInputError(
            f"{wrong} (with {between(sep)} between them; sep=... says another separator)"
        ) from error
    in_file = dict(zip(table.column_names, table.column_names, strict=True))
    if rules > 1:
        if quotes:
            _refuse_swallowed_rows(table, text, sep, line)
        table = without_nameless(table)
        in_file = {name.strip(): name for name in table.column_names}
        table = table.rename_columns([name.strip() for name in table.column_names])
    if len(in_file) < table.num_columns:  # whoever called refuses that for files of all kinds
        return table, Dialect(sep, said.decimal, encoding), []

    def again(names: list[str], numbers: bool) -> Any:
        types = {in_file[name]: pa.float64() if numbers else pa.string() for name in names}
        how: dict[str, Any] = {"column_types": types, "include_columns": list(types), "decimal_point": ","}
        return _parsed(text, sep, quotes > 0, rules, **how)

    def line_in_file(column: str, row: int) -> int:
        return line_of(text.decode(), sep, column, row, line)

    doubts: list[Doubt] = []
    if rules > 1:
        table, decimal, doubts = as_meant(table, sep, said.decimal, again, line_in_file, padded=may_pad(text, sep))
    else:
        table, decimal = with_decimals(table, sep, said.decimal, again)
    return table, Dialect(sep, decimal, encoding), doubts


def parse_rows(text: bytes, sep: str, count: int, kinds: Mapping[int, Any] | None = None, line: int = 1) -> Any:
    r"""Parse rows in the middle of a text file; columns are called by their numbers.

    Parameters
    ----------
    text : bytes
        Whole rows, in UTF-8.
    sep : str
        What is between columns.
    count : int
        Columns that there are.
    kinds : mapping, optional
        Types of those columns that are wanted; by default all are, as what they look like.
    line : int
        The number of the first line, for messages.

    Examples
    --------
    >>> parse_rows(b"1;x\n2;y\n", ";", 2).to_pydict()
    {'0': [1, 2], '1': ['x', 'y']}
    """
    import pyarrow as pa

    names = [str(number) for number in range(count)]
    types = {str(j): kind for j, kind in (kinds or {}).items()}
    how: dict[str, Any] = {} if kinds is None else {"column_types": types, "include_columns": list(types)}
    try:
        table = _parsed(text, sep, b'"' in text, 2, names, **how)
    except pa.ArrowInvalid as error:
        header = sep.join("x" * count) + "\n"
        wrong = what_is_wrong(header + text.decode(), sep, line - 1)
        if wrong is None:
            raise
        raise InvalidInputError(
            f"{wrong} (with {between(sep)} between them; sep=... says another separator)"
        ) from error
    if b'"' in text:
        _refuse_swallowed_rows(table, text, sep, line)
    return table


def _parsed(text: bytes, sep: str, quoted: bool, rules: int, names: list[str] | None = None, **convert: Any) -> Any:
    import pyarrow as pa
    import pyarrow.csv as pa_csv

    if rules > 1:
        convert["null_values"] = NOTHING
    return pa_csv.read_csv(
        pa.BufferReader(text),
        # A row must fit into a block, also where there are 100,000 columns.
        read_options=pa_csv.ReadOptions(block_size=min(max(_BLOCK, 4 * text.find(b"\n")), 1 << 30), column_names=names),
        parse_options=pa_csv.ParseOptions(delimiter=sep, newlines_in_values=quoted),
        convert_options=pa_csv.ConvertOptions(strings_can_be_null=True, **convert),
    )


def _refuse_open_quote(text: bytes, sep: str, line: int) -> None:
    wrong = what_is_wrong(text.decode(), sep, line)
    if wrong is not None and "never closed" in wrong:
        raise InvalidInputError(wrong)


def _refuse_swallowed_rows(table: Any, text: bytes, sep: str, line: int) -> None:
    """Refuse two quotes that nobody meant to be a pair: all rows between them would be one field."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = [column for column in table.columns if pa.types.is_string(column.type)]
    if any(pc.any(pc.match_substring_regex(column, "[\n\r]")).as_py() for column in texts):
        wrong = swallowed_rows(text.decode(), sep, line)
        if wrong is not None:
            raise InvalidInputError(wrong)


def _place(content: bytes, error: UndecodableError, kind: str, said: Dialect) -> str:
    """Line and column of a byte that cannot be decoded."""
    before = content[: error.position].decode(error.encoding, "ignore").removeprefix("\ufeff")
    return place_after(before, said.sep or find_separator(before, USUAL_SEPARATORS.get(kind, ","), cut=True))
