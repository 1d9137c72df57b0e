"""A table that was encoded, in a folder: codes that are mapped into memory, and what they mean."""

from __future__ import annotations

import hashlib
import io
import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from activefs._kernels.encode import add_up, fill_words
from activefs.files import write_whole
from activefs.streams._codes_file import boot
from activefs.streams._finish import EncodedColumns
from activefs.tables import Encoding, LeftOut
from activefs.types import Codes, Ints, UInt64s

CODES, CELLS, META, CHECKED = "codes.bin", "cells.npy", "meta.json", "checked"
_VERSION = 1
_BLOCK = 65_536


@dataclass(frozen=True, eq=False)
class StoredCodes:
    """An encoded table.

    Attributes
    ----------
    codes : array of shape (d, m), uint8 or uint16
        Feature-major; they stay on disk until they are used, and what is written to them is seen by nobody else.
    encodings : tuple of Encoding
        What the codes of each feature mean.
    counts, marks : tuples of arrays
        Of each feature, rows with each value, and the sum of their words (of `splitmix64`, modulo 2^64).
    kept : tuple of int
        Columns of the table that are features.
    names : tuple of str
        Their names.
    left_out : tuple of LeftOut
        Columns that are no features although nobody asked for that, and why.
    n_rows, n_columns : int
        Size of the table.
    """

    codes: Codes
    encodings: tuple[Encoding, ...]
    counts: tuple[Ints, ...]
    marks: tuple[UInt64s, ...]
    kept: tuple[int, ...]
    names: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    n_rows: int
    n_columns: int

    def is_sound(self) -> bool:
        """Read all codes, and say whether they are those that were written."""
        counts = [np.zeros_like(found) for found in self.counts]
        marks = [np.zeros_like(found) for found in self.marks]
        for at in range(0, self.n_rows, _BLOCK):
            words = np.empty(min(_BLOCK, self.n_rows - at), dtype=np.uint64)
            fill_words(at, words)
            for codes, count, mark in zip(self.codes[:, at : at + _BLOCK], counts, marks, strict=True):
                if int(codes.max()) >= len(count):
                    return False
                add_up(codes, words, count, mark)
        pairs = [*zip(counts, self.counts, strict=True), *zip(marks, self.marks, strict=True)]
        return all(np.array_equal(found, stored) for found, stored in pairs)


def describe(folder: Path, encoded: EncodedColumns, n_rows: int, n_columns: int, dtype: np.dtype[Any]) -> None:
    """Write what the codes in a folder mean."""
    counts = np.concatenate([np.empty(0, dtype=np.int64), *encoded.counts]).astype(np.uint64)
    marks = np.concatenate([np.empty(0, dtype=np.uint64), *encoded.marks])
    stream = io.BytesIO()
    np.save(stream, np.stack([counts, marks]))
    write_whole(folder / CELLS, stream.getvalue())
    content = {
        "version": _VERSION,
        "n_rows": n_rows,
        "n_columns": n_columns,
        "dtype": dtype.name,
        "kept": encoded.kept,
        "names": encoded.names,
        "encodings": [asdict(encoding) for encoding in encoded.encodings],
        "left_out": [[column.name, column.why] for column in encoded.left_out],
        "cells": _digest(stream.getvalue()),
        "boot": boot(),
    }
    text = json.dumps(content)
    write_whole(folder / META, json.dumps({"digest": _digest(text.encode()), "content": text}).encode())


def open_codes(folder: Path) -> StoredCodes | None:
    """Open a table that was encoded; None if it is not there, damaged or incomplete.

    Codes that were written before the machine was started anew are read once: it may have stopped before they were on
    the disk.

    Examples
    --------
    >>> open_codes(Path("nowhere")) is None
    True
    """
    try:
        stored = json.loads((folder / META).read_bytes())
        cells = (folder / CELLS).read_bytes()
        content = json.loads(stored["content"])
        if stored["digest"] != _digest(stored["content"].encode()) or content["cells"] != _digest(cells):
            return None
        if content["version"] != _VERSION:
            return None
        found = _opened(folder, content, np.load(io.BytesIO(cells), allow_pickle=False))
    except Exception:  # a damaged file may raise anything, and can be made again whatever is wrong with it
        return None
    if found is None or content["boot"] == boot() or (folder / CHECKED).exists():
        return found
    if not found.is_sound():
        return None
    with suppress(OSError):  # else it is read again next time
        (folder / CHECKED).touch()
    return found


def _opened(folder: Path, content: dict[str, Any], cells: UInt64s) -> StoredCodes | None:
    encodings = tuple(_encoding(stored) for stored in content["encodings"])
    shape, dtype = (len(encodings), content["n_rows"]), np.dtype(content["dtype"])
    if (folder / CODES).stat().st_size != shape[0] * shape[1] * dtype.itemsize:
        return None
    codes = np.empty(shape, dtype=dtype)
    if codes.size:  # as a plain array: a memmap is slower to slice, and hands its type on to whatever is made of it
        codes = np.memmap(folder / CODES, dtype=dtype, mode="c", shape=shape).view(np.ndarray)
    ends = np.cumsum([encoding.n_values for encoding in encodings], dtype=np.int64)
    if cells.shape != (2, int(ends[-1]) if len(ends) else 0):
        return None
    counts, marks = cells
    return StoredCodes(
        codes=codes,
        encodings=encodings,
        counts=tuple(np.split(counts.astype(np.int64), ends[:-1])) if encodings else (),
        marks=tuple(np.split(marks, ends[:-1])) if encodings else (),
        kept=tuple(content["kept"]),
        names=tuple(content["names"]),
        left_out=tuple(LeftOut(name, why) for name, why in content["left_out"]),
        n_rows=content["n_rows"],
        n_columns=content["n_columns"],
    )


def _encoding(stored: dict[str, Any]) -> Encoding:
    return Encoding(
        values=tuple(stored["values"]),
        edges=tuple(stored["edges"]),
        ranges=tuple((low, high) for low, high in stored["ranges"]),
        missing=stored["missing"],
        ordered=stored["ordered"],
    )


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=20).hexdigest()
