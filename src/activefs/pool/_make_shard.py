"""A worker puts parts of a table together that were encoded one by one."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from activefs._kernels.encode import look_up
from activefs.exceptions import ClusterError
from activefs.pool._cluster_table import rows_in
from activefs.pool._dense import DensePool
from activefs.pool._pool import PoolInfo
from activefs.pool._shard import PoolShard
from activefs.streams import ChunkCodes, ChunkFacts, Plans, encode_chunk
from activefs.types import Array, Codes, Ints


class CodedPart:
    """Codes of some consecutive rows of a part, with what they were when they were first encoded.

    Parameters
    ----------
    codes : array of shape (rows of codes, n)
        Provisional codes.
    digest : str
        Of what is known of all rows of the part.
    origin : str
        What people call the part.
    """

    def __init__(self, codes: Codes, digest: str, origin: str) -> None:
        self.codes, self.digest, self.origin = codes, digest, origin

    def __sizeof__(self) -> int:
        return int(self.codes.nbytes)  # what dask goes by when it looks for a place


def encode_part(part: Any, plans: Plans, first_row: int, origin: str, renamed: Sequence[str] | None) -> ChunkCodes:
    """Encode all rows of a part."""
    return encode_chunk(plans, rows_in(part, plans.names, renamed), first_row, origin)


def facts_of(coded: ChunkCodes) -> ChunkFacts:
    """What the driver must know."""
    return coded.facts


def digest_of(facts: ChunkFacts) -> str:
    """Tell rows from others by the checksums of their cells."""
    found = hashlib.blake2b(digest_size=16)
    for column in facts.columns:
        found.update(column.counts.tobytes())
        found.update(column.marks.tobytes())
    return found.hexdigest()


def rows_of_part(coded: ChunkCodes, start: int, stop: int) -> CodedPart:
    """Take some rows, all of them as a rule."""
    assert coded.codes is not None
    codes = coded.codes if stop - start == coded.facts.n_rows else coded.codes[:, start:stop].copy()
    return CodedPart(codes, digest_of(coded.facts), coded.facts.origin)


def make_shard(
    parts: Sequence[CodedPart],
    digests: Sequence[str],
    tables: Sequence[Sequence[Array | None]],
    lines: Sequence[int],
    info: PoolInfo,
    first_row: int,
    dtype: str,
) -> PoolShard:
    """Give rows their final codes, and put them together.

    Parameters
    ----------
    parts : sequence of CodedPart
        The rows.
    digests : sequence of str
        What the parts were when the meaning of the codes was settled.
    tables : sequence of sequences
        For each part and feature, final codes by provisional ones; None if they are same.
    lines : sequence of int
        Where each feature is in the provisional codes.
    info : PoolInfo
        Of the whole pool.
    first_row : int
        Which row of it is the first.
    dtype : str
        Type of the final codes.

    Raises
    ------
    ClusterError
        If a part that had to be computed again is not the same.
    """
    n_rows = sum(part.codes.shape[1] for part in parts)
    codes = np.empty((len(lines), n_rows), dtype=dtype)
    at = 0
    for part, digest, remaps in zip(parts, digests, tables, strict=True):
        if part.digest != digest:
            raise ClusterError(
                f"{part.origin} of the table had to be computed again and is not what it was: a table must not change "
                "while it is used (is it drawn at random without a seed?)"
            )
        end = at + part.codes.shape[1]
        for feature, (line, table) in enumerate(zip(lines, remaps, strict=True)):
            if table is None:
                codes[feature, at:end] = part.codes[line]
            else:
                look_up(np.ascontiguousarray(part.codes[line]), 0, table.astype(np.int32), codes[feature, at:end])
        at = end
    counts: list[Ints] = [
        np.bincount(line, minlength=encoding.n_values) for line, encoding in zip(codes, info.encodings, strict=True)
    ]
    value_counts = np.concatenate([np.empty(0, dtype=np.int64), *counts])
    return PoolShard(DensePool(replace(info, n_rows=n_rows, value_counts=value_counts), codes), first_row)


def shard_of(pool: DensePool, first_row: int) -> PoolShard:
    """Keep rows that came with the task."""
    return PoolShard(pool, first_row)
