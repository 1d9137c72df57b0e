"""Public tables in files that may lie beside the paper's data sets, each in two readings.

As it is: columns with more than ten values in ten bins that keep the order. Shuffled: the same, then the codes of every
column renamed at random, as if nobody had said what is ordered. The plug-in estimate cannot tell the two apart; a model
can.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from activefs import datasets
from activefs.exceptions import DataSetError
from activefs.pool import read_pool
from activefs.runs import Loaded, Source

FOLDER, ENDING, LABEL = "tables", ".csv.gz", "class"
SHUFFLED = "-SHUFFLED"
_SEED = 12345  # of the renaming


def readings(name: str, rows: int, columns: int) -> tuple[Source, Source]:
    """Name a table as it is, and shuffled.

    Parameters
    ----------
    name : str
        Of its file, without the ending.
    rows, columns : int
        What the file must hold, the column of labels not counted.

    Examples
    --------
    >>> [source.name for source in readings("sonar", 208, 60)]
    ['SONAR', 'SONAR-SHUFFLED']
    """
    read = partial(public_table, name, rows, columns)
    plain = Source(name.upper(), rows, columns, make=read, coded=True)
    return plain, Source(plain.name + SHUFFLED, rows, columns, make=partial(read, shuffled=True), coded=True)


def public_table(name: str, rows: int, columns: int, *, shuffled: bool = False) -> Loaded:
    """Read a table: codes of all columns that have more than one value, their names, class numbers by sorted label.

    Raises
    ------
    DataSetError
        If the file is nowhere, or not the one that is meant.
    """
    path = _find(name + ENDING)
    try:
        table = pyarrow.csv.read_csv(path, parse_options=pyarrow.csv.ParseOptions(delimiter="\t"))
    except (OSError, pa.ArrowException) as error:
        raise DataSetError(f"{path} cannot be read: {str(error).splitlines()[0]}") from error
    if table.column_names[-1] != LABEL or table.shape != (rows, columns + 1):
        raise DataSetError(
            f"{path} has {table.shape[0]} rows and {table.shape[1]} columns, the last one {table.column_names[-1]!r}, "
            f"instead of {rows} and {columns + 1}, the last one {LABEL!r}: it is another file"
        )
    features = table.drop_columns([LABEL])
    # Columns that are named are kept, also those in which nearly every row has a value of its own.
    pool = read_pool(features, binning=dict.fromkeys(features.column_names, "kmeans"))
    codes = pool.codes.T.astype(np.int64)
    if shuffled:
        rng = np.random.default_rng(_SEED)
        codes = np.stack([rng.permutation(column.max() + 1)[column] for column in codes.T], axis=1)
    y = np.unique(table.column(LABEL).to_numpy(), return_inverse=True)[1]
    return codes, pool.names, y.astype(np.int64)


def _find(file: str) -> Path:
    places = [folder / FOLDER for folder in datasets.folders()]
    found = next((place / file for place in places if (place / file).is_file()), None)
    if found is None:
        raise DataSetError(
            f"not on this machine (looked in {', '.join(map(str, places))}; the environment variable "
            f"ACTIVEFS_DATA_DIR names the folder that has the folder {FOLDER!r})"
        )
    return found
