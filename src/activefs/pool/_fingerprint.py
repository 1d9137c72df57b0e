"""What tells one pool from another."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

from activefs.types import Array, UInt64s

if TYPE_CHECKING:
    from activefs.pool._pool import PoolInfo

NOW = "2:"
"""How fingerprints of this release begin, which are made of checksums that can be added up over parts of a table."""


def fingerprint_of(info: PoolInfo, marks: UInt64s) -> str:
    """SHA-256 of what is known of a pool and of the checksums of its cells."""
    digest = hashlib.sha256(repr((_head(info), [e.ordered for e in info.encodings])).encode())
    digest.update(info.value_counts.astype("<i8").tobytes())
    digest.update(marks.astype("<u8").tobytes())
    return NOW + digest.hexdigest()


def old_fingerprint(info: PoolInfo, by_feature: Iterable[Array]) -> str:
    """SHA-256 of all codes, as studies and sessions were marked with before."""
    digest = hashlib.sha256(repr((*_head(info), info.row_ids)).encode())
    if any(e.ordered is not None for e in info.encodings):  # as before where nobody said anything about the order
        digest.update(repr([e.ordered for e in info.encodings]).encode())
    for codes in by_feature:  # as one width, so that it does not depend on the storage type
        digest.update(codes.astype("<u2").tobytes())
    return digest.hexdigest()


def _head(info: PoolInfo) -> tuple[object, ...]:
    return info.n_rows, info.n_columns, info.names, info.columns.tolist(), info.encodings
