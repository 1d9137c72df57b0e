"""Pieces of the experiments, each kept in a Parquet file of its own."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from activefs.data._quantise import QUANTISER_VERSION
from activefs.exceptions import ActiveFSError, InvalidInputError
from activefs.experiments.selection._lines import Line
from activefs.experiments.selection._sources import Source

# Part of every piece's key: raise it whenever the same key would give other numbers.
VERSION = 1

# Parquet files end with this.
_END = b"PAR1"
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@dataclass(frozen=True)
class Piece:
    """One run of one line on one data set, for one k or, if its rows do not depend on k, for several.

    Attributes
    ----------
    source : Source
        The data set.
    line : Line
        The strategy.
    ks : tuple of int
        The k (one of them, if the rows depend on it) for which the gap is measured.
    run, budget, seed : int
        Number of the run, labels, seed of the whole experiment.
    """

    source: Source
    line: Line
    ks: tuple[int, ...]
    run: int
    budget: int
    seed: int

    @property
    def random_state(self) -> int:
        """Seed of this run: lines that differ in the safeguard only have it in common, all others have their own."""
        return _number([*self.source.key, self.line.family, self._k, self.run, self.seed])

    @property
    def _k(self) -> int:
        return self.ks[0] if self.line.needs_k else 0

    @cached_property
    def path(self) -> Path:
        """Where it is kept, below the folder of all pieces."""
        content = [
            VERSION,
            QUANTISER_VERSION,
            *self.source.key,
            self.line.key,
            self.ks,
            self.run,
            self.budget,
            self.seed,
        ]
        ks = f"k{self._k}" if self.line.needs_k else "all-k"
        return Path(self.source.name) / self.line.slug / ks / f"run-{self.run:03d}-{_number(content):016x}.parquet"


@dataclass(frozen=True)
class Result:
    """What a piece found: the rows asked, and the gap (ks by labels) after each label."""

    rows: NDArray[np.int32]
    gaps: NDArray[np.float32]


def _number(content: object) -> int:
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


class Store:
    """The folder of finished pieces; a piece is there whole or not at all.

    Parameters
    ----------
    folder : Path
        Made if it does not exist.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # Working files: whoever wants the results only does not want these in a repository.
            write_whole(folder / ".gitignore", b"*\n")
        except OSError as error:
            raise InvalidInputError(
                f"cannot write to the folder {folder} ({error.strerror or error}); name another one with --out"
            ) from error

    def has(self, piece: Piece) -> bool:
        """Whether a piece is there; only its end is read, which a file that was cut off does not have."""
        try:
            with (self.folder / piece.path).open("rb") as file:
                file.seek(-len(_END), os.SEEK_END)
                return file.read() == _END
        except OSError:
            return False

    def load(self, piece: Piece) -> Result | None:
        """Read a piece; None if it is not there or damaged."""
        try:
            table = pq.read_table(io.BytesIO((self.folder / piece.path).read_bytes()))
            gaps = np.stack([table.column(f"gap_{k}").to_numpy() for k in piece.ks])
            rows = table.column("row").to_numpy()
        except (OSError, pa.ArrowException, KeyError):
            return None
        return Result(rows, gaps) if gaps.shape[1] == piece.budget else None

    def save(self, piece: Piece, result: Result) -> None:
        """Keep a piece.

        Raises
        ------
        ActiveFSError
            If it cannot be written, such as on a full disk; pieces kept before stay.
        """
        columns = {"row": pa.array(result.rows)}
        columns |= {f"gap_{k}": pa.array(gap) for k, gap in zip(piece.ks, result.gaps, strict=True)}
        about = {"line": piece.line.key, "dataset": piece.source.name, "run": str(piece.run), "seed": str(piece.seed)}
        buffer = io.BytesIO()
        # A dictionary of 500 different gaps would be larger than the gaps.
        pq.write_table(pa.table(columns, metadata=about), buffer, compression="zstd", use_dictionary=False)
        path = self.folder / piece.path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, buffer.getvalue())
        except OSError as error:
            raise ActiveFSError(
                f"{cannot_write(path, error)} Finished pieces are kept in {self.folder}: then run the same command "
                "again, and it goes on from there."
            ) from error


def cannot_write(path: Path, error: OSError) -> str:
    """Say why a file could not be written and what to do about it."""
    if error.errno in _FULL:
        return f"{path} could not be written: the disk is full ({error.strerror}). Make room."
    return f"{path} could not be written: {error.strerror or error}. Check the folder."


def write_whole(path: Path, content: bytes) -> None:
    """Write a file all or nothing: whoever reads it meanwhile, or after a crash, sees the old one or the new one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
