"""Files that hold tables: which kinds there are, and reading them; what goes wrong becomes a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from activefs.exceptions import InvalidInputError

FORMATS = (".csv", ".tsv", ".parquet", ".mat")


def kind_of(path: Path) -> str:
    """Return the kind of a file by the end of its name; refuse others, and a file that is not there.

    Examples
    --------
    >>> kind_of(Path("table.xls"))
    Traceback (most recent call last):
    activefs.exceptions.InvalidInputError: table.xls is of no known kind: its name must end with .csv, .tsv, ...
    """
    suffixes = [s.lower() for s in path.suffixes]
    kind = next((s for s in reversed(suffixes) if s != ".gz"), "")
    if kind not in FORMATS:
        raise InvalidInputError(f"{path} is of no known kind: its name must end with {', '.join(FORMATS)}")
    if not path.is_file():
        raise InvalidInputError(f"there is no file {path}")
    return kind


@contextmanager
def reading(path: Path, kind: str) -> Iterator[None]:
    """Turn what readers complain about into a sentence that names the file."""
    import pyarrow as pa

    try:
        yield
    except (OSError, pa.ArrowException, ValueError, NotImplementedError, TypeError, MemoryError) as error:
        if isinstance(error, InvalidInputError):
            raise
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InvalidInputError(f"{path} cannot be read as {kind[1:]}: {first}") from error


def read_arrow(path: Path, kind: str) -> Any:
    """Read a csv, tsv or parquet file as an Arrow table."""
    if kind == ".parquet":
        import pyarrow.parquet as pq

        return pq.read_table(path)
    import pyarrow.csv as pa_csv

    return pa_csv.read_csv(
        path,
        parse_options=pa_csv.ParseOptions(delimiter="," if kind == ".csv" else "\t"),
        convert_options=pa_csv.ConvertOptions(strings_can_be_null=True),
    )


def mat_shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of the variables in a MATLAB file."""
    from scipy.io import whosmat

    return {name: shape for name, shape, _ in whosmat(path)}


def mat_variables(path: Path, names: list[str]) -> dict[str, Any]:
    """Read variables from a MATLAB file."""
    from scipy.io import loadmat

    loaded: dict[str, Any] = loadmat(path, variable_names=names)
    return loaded


def mat_vector(values: Any) -> list[Any]:
    """Return the entries of a MATLAB vector, out of the cells that strings come in."""
    flat = np.asarray(values).ravel()
    return [v.item() if isinstance(v, np.ndarray) and v.size == 1 else v for v in flat.tolist()]
