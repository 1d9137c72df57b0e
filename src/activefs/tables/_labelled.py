"""Tables in files, split into features, labels and ids."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate, compress, count
from pathlib import Path
from typing import Any

from activefs.codec import unwrapped
from activefs.exceptions import InvalidInputError
from activefs.measurements import ADVICE, MANY_CLASSES, is_infinite, is_real, is_whole
from activefs.tables._dialect import UNSAID, Dialect
from activefs.tables._kinds import kind_of, refuse_settings
from activefs.tables._mat import mat_shapes, mat_variables, mat_vector
from activefs.tables._places import origins_of, with_origins
from activefs.tables._read import FileTable, read_columns, reading
from activefs.tables._row_ids import with_one_id, without_id


@dataclass(frozen=True, eq=False)
class LabelledTable:
    """A table whose labels are all there.

    Attributes
    ----------
    features : table
        What `Pool.from_table` takes.
    names : tuple of str or None
        Column names, if the table does not have its own.
    labels : list
        One per row.
    ids : list or None
        Name of each row.
    unlabelled : int
        Rows that had no label and were left out.
    label : str
        What the column of labels is called.
    dialect : Dialect
        How the file is written, said or found out.
    notes : tuple of str
        What people should know about how the file was read.
    """

    features: Any
    names: tuple[str, ...] | None
    labels: list[Any]
    ids: list[Any] | None
    unlabelled: int
    label: str = "label"
    dialect: Dialect = UNSAID
    notes: tuple[str, ...] = ()


def open_labelled(
    path: str | Path,
    label: str,
    id_column: str | None = None,
    *,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> LabelledTable:
    """Read a table from a file and split it.

    Parameters
    ----------
    path : str or Path
        A .csv, .tsv, .txt, .jsonl or .ndjson file (also with .gz, .bz2 or .zst behind it), or a .parquet, .feather,
        .arrow, .xlsx or .mat file.
    label : str
        Column that holds the labels; in a MATLAB file, the variable.
    id_column : str, optional
        Column (variable) that names the rows; it is no feature.
    sep, decimal, encoding : str, optional
        What is between the columns of a text file, its decimal sign, its encoding; by default they are found out.
    sheet : str, optional
        Sheet of an Excel file; by default the first that is not empty.

    Raises
    ------
    InvalidInputError
        If the file cannot be read or a column is not there; the message says what to do.
    """
    path = Path(path)
    dialect = Dialect.checked(sep=sep, decimal=decimal, encoding=encoding, sheet=sheet)
    kind = kind_of(path)
    refuse_settings(path, kind, dialect.said)
    if kind.suffix == ".mat":
        with reading(path, kind):
            return _from_mat(path, label, id_column)
    return split_table(read_columns(path, kind, dialect), path, label, id_column)


def split_table(found: FileTable, origin: str | Path, label: str, id_column: str | None = None) -> LabelledTable:
    """Split a table that was read into features, labels and ids; `origin` is what people call it."""
    table = found.table
    check_roles(found, table.column_names, origin, label, id_column)
    read = plain_values(table.column(label), label)
    there = [unwrapped(value) is not None for value in read]
    kept = table if all(there) else _with_labels(table, there)
    labels = _checked_labels(list(compress(read, there)), label)
    ids = None if id_column is None else _checked_ids(kept.column(id_column), id_column, list(compress(count(), there)))
    features = kept.drop_columns([name for name in (label, id_column) if name is not None])
    notes = (*found.notes, *found.doubted(but=[id_column]))
    return LabelledTable(features, None, labels, ids, table.num_rows - kept.num_rows, label, found.dialect, notes)


def _checked_ids(column: Any, name: str, rows: Sequence[int]) -> list[Any]:
    """Return the ids of these rows of a table, of which each must have its own."""
    ids = plain_values(column, name)
    if missing := [row for row, value in zip(rows, ids, strict=True) if unwrapped(value) is None]:
        raise without_id(name, len(missing), missing[0])
    seen: dict[Any, int] = {}
    for row, value in zip(rows, ids, strict=True):
        if (before := seen.setdefault(value, row)) != row:
            raise with_one_id(name, before, row, value)
    return ids


def _with_labels(table: Any, there: Sequence[bool]) -> Any:
    """Keep the rows with a label, and note anew where they come from."""
    origins, before = origins_of(table), [0, *accumulate(there)]
    kept = table.filter(list(there))
    return with_origins(kept, [(before[row], f"{origin}, counting rows with a label") for row, origin in origins])


def check_roles(found: FileTable, names: Sequence[str], origin: str | Path, label: str, id_column: str | None) -> None:
    """Refuse a label or an id that is no column of a table, or one that is both."""
    for name, role in ((label, "label"), (id_column, "id")):
        if name is not None and name not in names:
            raise found.refused(_not_there(name, role, names, origin))
    if id_column == label:
        raise InvalidInputError(f"{label!r} cannot be both the label and the id")


def plain_values(column: Any, name: str = "label") -> list[Any]:
    """Return the values of an Arrow column that names something; decimals are numbers.

    Examples
    --------
    >>> import pyarrow as pa
    >>> plain_values(pa.array(["ill", None]))
    ['ill', None]
    """
    import pyarrow as pa

    if pa.types.is_nested(column.type) or pa.types.is_binary(column.type):
        raise InvalidInputError(f"column {name!r} holds {column.type}: labels and ids are text, numbers or booleans")
    values: list[Any] = column.to_pylist()
    if pa.types.is_decimal(column.type):
        number = float if column.type.scale > 0 else int
        return [None if value is None else number(value) for value in values]
    return values


def _from_mat(path: Path, label: str, id_column: str | None) -> LabelledTable:
    shapes = mat_shapes(path)
    _check_variable(label, "label", list(shapes), path)
    if id_column is not None:
        _check_variable(id_column, "id", list(shapes), path)
    rows = max(shapes[label], default=0)
    fit = [n for n, s in shapes.items() if n not in (label, id_column) and len(s) == 2 and s[0] == rows and s[1] > 1]
    if len(fit) != 1:
        found = ", ".join(f"{name} {'x'.join(map(str, shape))}" for name, shape in shapes.items())
        raise InvalidInputError(
            f"{path} must hold one table with a row for each of the {rows} entries of {label!r}; it holds {found}"
        )
    loaded = mat_variables(path, [name for name in (label, id_column, fit[0]) if name is not None])
    read = mat_vector(loaded[label])
    there = [i for i, value in enumerate(read) if unwrapped(value) is not None]
    labels = _checked_labels([read[i] for i in there], label)
    named = None if id_column is None else mat_vector(loaded[id_column])
    ids = None if named is None else [named[i] for i in there]
    features = loaded[fit[0]][there] if len(there) < len(read) else loaded[fit[0]]
    names = tuple(f"{fit[0]}{j}" for j in range(features.shape[1]))
    return LabelledTable(features, names, labels, ids, len(read) - len(there), label)


def _check_variable(name: str, role: str, names: list[str], path: Path) -> None:
    if name not in names:
        raise InvalidInputError(_not_there(name, role, names, path, what="variable"))


def _not_there(name: str, role: str, names: Sequence[str], path: str | Path, what: str = "column") -> str:
    shown = ", ".join(map(repr, names[:20])) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
    return f"there is no {what} {name!r} for the {role} in {path}; there are: {shown}"


def _checked_labels(labels: list[Any], name: str) -> list[Any]:
    check_different(set(labels), name)
    return labels


def check_different(labels: Collection[Any], name: str) -> None:
    """Refuse labels that are all the same; these are the different ones."""
    if len(labels) < 2:
        only = f"only {next(iter(labels))!r}" if labels else "no value"
        raise InvalidInputError(f"the label {name!r} has {only}: there is nothing to tell apart")


def check_classes(table: LabelledTable, advice: str = ADVICE) -> None:
    """Refuse labels that are measurements or names rather than classes, where nobody said what the classes are.

    Examples
    --------
    >>> check_classes(LabelledTable(None, None, [1.5, 2.0, 1.5], None, 0, "dose"))
    Traceback (most recent call last):
    activefs.exceptions.InvalidInputError: the label 'dose' is a number with fractions (such as 1.5), while ...
    """
    check_different_labels(dict.fromkeys(table.labels), len(table.labels), table.label, advice)


def check_different_labels(different: Collection[Any], rows: int, label: str, advice: str = ADVICE) -> None:
    """Refuse labels that are no classes, as :func:`check_classes` does, given the different ones of so many rows."""
    numbers = all(map(is_whole, different))
    what = f"the label {label!r} has {len(different):,} different values in {rows:,} rows"
    if (real := next(filter(is_real, different), None)) is not None:
        what = f"the label {label!r} is a number with fractions (such as {real})"
    elif (infinite := next(filter(is_infinite, different), None)) is not None:
        raise InvalidInputError(
            f"the label {label!r} is not finite in some rows ({infinite}): correct it there, or leave it empty"
        )
    elif len(different) <= MANY_CLASSES or not (numbers or len(different) > rows / 2):
        return
    elif not numbers:
        advice = "name another column as the label, or the classes with classes=[...]"
    raise InvalidInputError(f"{what}, while labels must be classes that rows share: {advice}")
