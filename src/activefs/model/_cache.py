"""Prepared views, kept on disk: preparing a large table takes seconds, and every command starts with it."""

from __future__ import annotations

import hashlib
from importlib.metadata import version

import numpy as np

from activefs._kernels import threads
from activefs.caches import ArrayCache
from activefs.model._views import VERSION, View, prepare
from activefs.types import Array, Matrix

_WORTH = 5_000_000
"""Work from which on views are kept: rows times (rows and columns), prepared in about half a second."""
_LIBRARIES = ("numpy", "scipy", "scikit-learn")  # another version may give other digits
_cache = ArrayCache("views")


def prepared(design: Matrix, indicators: Matrix | None) -> list[View]:
    """Return the views of some rows: those that were kept, or new ones; the digits are the same.

    Parameters
    ----------
    design : array of shape (M, p)
        The rows as numbers.
    indicators : array of shape (M, c), optional
        One column per value of every feature, 1 where a row has it.
    """
    with threads.one_for_products():
        if len(design) * sum(design.shape) < _WORTH:
            return prepare(design, indicators)
        key = _key(design, indicators)
        stored = _cache.load(key)
        if stored is not None:
            return _from_arrays(stored)
        views = prepare(design, indicators)
        _cache.keep(key, _to_arrays(views))
        return views


def _key(design: Matrix, indicators: Matrix | None) -> str:
    """Name of a file: a checksum of everything that the views depend on."""
    digest = hashlib.blake2b(digest_size=20)
    for numbers in (design, np.empty((0, 0), dtype=np.float32) if indicators is None else indicators):
        digest.update(repr(numbers.shape).encode())
        digest.update(np.ascontiguousarray(numbers).data)
    digest.update(repr((VERSION, [version(name) for name in _LIBRARIES])).encode())
    return digest.hexdigest()


def _to_arrays(views: list[View]) -> dict[str, Array]:
    arrays: dict[str, Array] = {"names": np.array([view.name for view in views])}
    for i, view in enumerate(views):
        arrays[f"vectors {i}"], arrays[f"variances {i}"] = view.vectors, np.array(view.variances)
    return arrays


def _from_arrays(arrays: dict[str, Array]) -> list[View]:
    return [
        View(str(name), arrays[f"vectors {i}"], tuple(arrays[f"variances {i}"].tolist()))
        for i, name in enumerate(arrays["names"])
    ]
