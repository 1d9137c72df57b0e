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
from typing import Protocol, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from activefs.datasets import QUANTISER_VERSION
from activefs.exceptions import ActiveFSError, InvalidInputError
from activefs.runs._sources import Source
from activefs.runs.lines import Line

# Part of every piece's key: raise it whenever the same key would give other numbers.
VERSION = 1
ASSISTANT_VERSION = 2  # the assistant, its estimates, or the choices that ask it

# Parquet files end with this.
_END = b"PAR1"
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


R = TypeVar("R")


class Keepable(Protocol[R]):
    """What a store keeps: something with a place of its own, that writes its results as a table and reads them."""

    @property
    def path(self) -> Path:
        """Where it is kept, below the folder of all pieces."""

    def to_table(self, result: R) -> pa.Table:
        """Write a result as a table."""

    def from_table(self, table: pa.Table) -> R | None:
        """Read it; None if the table is not whole. May raise KeyError if columns are missing."""


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
        return number_of([*self.source.key, self.line.family, self._k, self.run, self.seed])

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
            *([ASSISTANT_VERSION] if self.line.estimator == "assisted" else []),
        ]
        ks = f"k{self._k}" if self.line.needs_k else "all-k"
        return Path(self.source.name) / self.line.slug / ks / f"run-{self.run:03d}-{number_of(content):016x}.parquet"

    def to_table(self, result: Result) -> pa.Table:
        """One row per label, one column of gaps per k."""
        columns = {"row": pa.array(result.rows)}
        columns |= {f"gap_{k}": pa.array(gap) for k, gap in zip(self.ks, result.gaps, strict=True)}
        about = {"line": self.line.key, "dataset": self.source.name, "run": str(self.run), "seed": str(self.seed)}
        return pa.table(columns, metadata=about)

    def from_table(self, table: pa.Table) -> Result | None:
        """The same back."""
        gaps = np.stack([table.column(f"gap_{k}").to_numpy() for k in self.ks])
        return Result(table.column("row").to_numpy(), gaps) if gaps.shape[1] == self.budget else None


@dataclass(frozen=True)
class Result:
    """What a piece found: the rows asked, the gap (ks by labels) after each label, and how long each question took.

    The seconds, by the clock and of the processor, are not kept with a piece, which is the same whoever computes it.
    """

    rows: NDArray[np.int32]
    gaps: NDArray[np.float32]
    seconds: NDArray[np.float32] | None = None
    processor: NDArray[np.float32] | None = None


def number_of(content: object) -> int:
    """Make a number of anything that JSON can hold; the same on every machine."""
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

    def has(self, piece: Keepable[R]) -> bool:
        """Whether a piece is there; only its end is read, which a file that was cut off does not have."""
        try:
            with (self.folder / piece.path).open("rb") as file:
                file.seek(-len(_END), os.SEEK_END)
                return file.read() == _END
        except OSError:
            return False

    def load(self, piece: Keepable[R]) -> R | None:
        """Read a piece; None if it is not there or damaged."""
        try:
            return piece.from_table(pq.read_table(io.BytesIO((self.folder / piece.path).read_bytes())))
        except (OSError, pa.ArrowException, KeyError):
            return None

    def save(self, piece: Keepable[R], result: R) -> None:
        """Keep a piece.

        Raises
        ------
        ActiveFSError
            If it cannot be written, such as on a full disk; pieces kept before stay.
        """
        buffer = io.BytesIO()
        # A dictionary of 500 different gaps would be larger than the gaps.
        pq.write_table(piece.to_table(result), buffer, compression="zstd", use_dictionary=False)
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
