"""Frozen value objects that the parts of activefs hand to each other."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Matrix = NDArray[np.float32]
"""Numbers for models, where half the memory counts more than the last digits."""
Codes = NDArray[Any]
"""Codes of values: uint8, or uint16 where a feature has more than 256 values."""


@dataclass(frozen=True, eq=False)
class Selection:
    """The k features chosen, best first, and how sure the choice is.

    Attributes
    ----------
    features : array of int
        Columns of the table, best first.
    names : tuple of str
        Their names.
    scores : array of float
        Estimated quality: mutual information with the label in nats, or the reduction of the Gini
        impurity.
    lower, upper : array of float
        Bounds of the quality at the session's confidence, for each value of a feature; the class
        shares, which they have in common, are taken as known.
    certified : bool
        Whether no other feature can belong to the best k, at the session's confidence.
    values : tuple of tuple of str
        What the values of each feature are: categories, or the ranges of its bins.
    n_labels : int
        Labels that the choice rests on.
    criterion : str
        The quality measure.
    estimator : str
        What the scores rest on: "plug-in" (the labelled rows) or "assisted" (all rows, completed by a model).
        The bounds of the assisted estimate are what its model thinks likely, not a guarantee; such a choice
        is never certified.
    expected_gap : float or None
        Assisted only: how much quality the k features together are expected to lack against the best k.
    informative : bool
        False if the assisted estimate finds that the labels so far could as well have nothing to do with the
        table: then the choice means nothing, and every lower bound is 0.

    Examples
    --------
    >>> import numpy as np
    >>> one = Selection(np.array([3]), ("age",), np.array([0.2]), np.array([0.1]), np.array([0.4]), False)
    >>> print(one)
    1 feature, not certified, from 0 labels
      1. age (column 3): 0.2000 [0.1000, 0.4000]
    """

    features: Ints
    names: tuple[str, ...]
    scores: Floats
    lower: Floats
    upper: Floats
    certified: bool
    values: tuple[tuple[str, ...], ...] = ()
    n_labels: int = 0
    criterion: str = "mutual_information"
    estimator: str = "plug-in"
    expected_gap: float | None = None
    informative: bool = True

    def __post_init__(self) -> None:
        for name in ("names", "scores", "lower", "upper"):
            size = len(getattr(self, name))
            if size != len(self.features):
                raise ValueError(f"{name} has {size} entries for {len(self.features)} features")

    def __len__(self) -> int:
        return len(self.features)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Selection):
            return NotImplemented
        return all(
            np.array_equal(np.asarray(getattr(self, f.name)), np.asarray(getattr(other, f.name)))
            if isinstance(getattr(self, f.name), np.ndarray)
            else getattr(self, f.name) == getattr(other, f.name)
            for f in fields(self)
        )

    __hash__ = None  # type: ignore[assignment]  # holds arrays

    @property
    def sure(self) -> str:
        """How far the choice can be trusted, in a few words.

        Examples
        --------
        >>> nothing = np.array([])
        >>> Selection(nothing, (), nothing, nothing, nothing, False, estimator="assisted", expected_gap=0.0123).sure
        'expected to lack 0.012 against the best'
        """
        if self.estimator == "assisted":
            if not self.informative:
                return "no answer yet: the labels show no connection with any feature"
            return f"expected to lack {self.expected_gap:.3f} against the best"
        return "certified" if self.certified else "not certified"

    def __str__(self) -> str:
        count = f"{len(self)} feature{'' if len(self) == 1 else 's'}"
        lines = [f"{count}, {self.sure}, from {self.n_labels} labels"]
        for i, (column, name) in enumerate(zip(self.features, self.names, strict=True)):
            bounds = f"[{self.lower[i]:.4f}, {self.upper[i]:.4f}]"
            lines.append(f"{i + 1:3d}. {name} (column {column}): {self.scores[i]:.4f} {bounds}")
        return "\n".join(lines)
