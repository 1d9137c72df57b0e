"""Readers of the raw files of the paper's data sets: decompressed bytes in, integers out.

A reader raises `ValueError` for content it does not understand; the caller adds which file it was.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.io import loadmat
from scipy.io.matlab import MatReadError

from activefs.types import Integers, UInt8s

__all__ = ["RawTable", "read_adult", "read_mat", "read_mnist", "read_musk"]

_ADULT_COLUMNS = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation"),
    *("relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country"),
)
_ADULT_NUMERIC = {"age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"}
_ADULT_LABELS = {"<=50K": 0, ">50K": 1}


@dataclass(frozen=True)
class RawTable:
    """A data set before quantising: integer `values` (rows by features), class numbers, names.

    The columns of `categorical` hold numbers of categories, which are never binned.
    """

    values: Integers
    y: UInt8s
    names: tuple[str, ...]
    categorical: frozenset[int] = field(default_factory=frozenset)


def read_mat(contents: Sequence[bytes]) -> RawTable:
    """Word counts of a MATLAB file: X (rows by words) and Y in {1, 2}."""
    try:
        table = loadmat(io.BytesIO(contents[0]), variable_names=["X", "Y"])
    except MatReadError as error:
        raise ValueError(str(error)) from error
    if missing := {"X", "Y"} - set(table):
        raise ValueError(f"no variable {' and '.join(sorted(missing))} in the MATLAB file")
    values, labels = np.asarray(table["X"]), np.asarray(table["Y"]).ravel()
    if values.ndim != 2 or not np.issubdtype(values.dtype, np.integer):
        raise ValueError(f"X is not a table of counts: {values.dtype}, shape {values.shape}")
    if len(labels) != len(values) or not np.isin(labels, (1, 2)).all():
        raise ValueError(f"Y is not one of 1 and 2 for each of the {len(values)} rows")
    names = tuple(f"word {column}" for column in range(values.shape[1]))
    return RawTable(values, (labels == 2).astype(np.uint8), names)


def read_musk(contents: Sequence[bytes]) -> RawTable:
    """Tab-separated table of PMLB: two id columns, which are no features, f1 ..., target."""
    head, _, body = contents[0].decode("ascii").partition("\n")
    columns = head.rstrip("\r").split("\t")
    if columns[:2] != ["molecule_name", "conformation_name"] or columns[-1] != "target":
        raise ValueError(f"the columns are {', '.join(columns[:3])} ... {columns[-1]}")
    table = np.loadtxt(io.StringIO(body), delimiter="\t", ndmin=2)
    if table.shape[1] != len(columns):
        raise ValueError(f"{table.shape[1]} columns of numbers under {len(columns)} names")
    whole = table.astype(np.int32)
    if (whole != table).any() or not np.isin(whole[:, -1], (0, 1)).all():
        raise ValueError("a feature is not a whole number, or a target is not 0 or 1")
    return RawTable(whole[:, 2:-1], whole[:, -1].astype(np.uint8), tuple(columns[2:-1]))


def read_mnist(contents: Sequence[bytes], digits: tuple[int, ...]) -> RawTable:
    """Images and labels of the training set, then of the test set, with the rows of `digits` only."""
    images = np.concatenate([_idx(contents[0], 3), _idx(contents[2], 3)])
    labels = np.concatenate([_idx(contents[1], 1), _idx(contents[3], 1)])
    if len(images) != len(labels):
        raise ValueError(f"{len(images)} images but {len(labels)} labels")
    number_of = np.full(256, -1)
    number_of[list(digits)] = np.arange(len(digits))
    chosen = number_of[labels] >= 0
    _, height, width = images.shape
    names = tuple(f"pixel {row},{column}" for row in range(height) for column in range(width))
    return RawTable(images[chosen].reshape(-1, height * width), number_of[labels[chosen]].astype(np.uint8), names)


def _idx(content: bytes, dimensions: int) -> UInt8s:
    """Read IDX: the bytes 0, 0, 8 (for unsigned bytes), number of dimensions, each of them, the data."""
    start = 4 + 4 * dimensions
    if content[:4] != bytes((0, 0, 8, dimensions)) or len(content) < start:
        raise ValueError(f"not an IDX file of bytes with {dimensions} dimensions")
    shape = tuple(int(size) for size in np.frombuffer(content[4:start], dtype=">u4"))
    if int(np.prod(shape)) != len(content) - start:
        raise ValueError(f"an IDX file of shape {shape} has {len(content) - start} bytes of data")
    return np.frombuffer(content, dtype=np.uint8, offset=start).reshape(shape)


def read_adult(contents: Sequence[bytes]) -> RawTable:
    """Training and test rows; categories are numbered in alphabetical order, '?' being one of them."""
    rows = [row for content in contents for row in _adult_rows(content)]
    if not rows:
        raise ValueError("no row of data")
    *columns, labels = (np.array(column) for column in zip(*rows, strict=True))
    values = np.empty((len(rows), len(columns)), dtype=np.int32)
    for j, column in enumerate(columns):
        if _ADULT_COLUMNS[j] in _ADULT_NUMERIC:
            values[:, j] = column.astype(np.int32)
        else:
            values[:, j] = np.unique(column, return_inverse=True)[1]
    # UCI's test labels end with a full stop.
    names = [str(label).rstrip(".") for label in labels]
    if unknown := set(names) - set(_ADULT_LABELS):
        raise ValueError(f"unknown income {min(unknown)!r}")
    categorical = frozenset(j for j, name in enumerate(_ADULT_COLUMNS) if name not in _ADULT_NUMERIC)
    y = np.array([_ADULT_LABELS[name] for name in names], dtype=np.uint8)
    return RawTable(values, y, _ADULT_COLUMNS, categorical)


def _adult_rows(content: bytes) -> Iterator[list[str]]:
    for number, line in enumerate(content.decode("ascii").splitlines(), start=1):
        cells = [cell.strip() for cell in line.split(",")]
        # UCI's test file starts with a remark, other copies with the names of the columns.
        if not line.strip() or line.startswith("|") or (number == 1 and cells[0] == "age"):
            continue
        if len(cells) != len(_ADULT_COLUMNS) + 1:
            raise ValueError(f"line {number} has {len(cells)} cells, not {len(_ADULT_COLUMNS) + 1}")
        yield cells
