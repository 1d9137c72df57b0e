"""How far annotators agree beyond chance: Cohen's kappa for two of them, Krippendorff's alpha for more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from activefs.types import Floats, Ints

_RESAMPLES = 2_000
_CONFIDENCE = 0.95


@dataclass(frozen=True)
class Agreement:
    """How far annotators agree on the rows that two of them answered.

    Attributes
    ----------
    coefficient : str
        "Cohen's kappa" if two annotators answered all these rows, else "Krippendorff's alpha".
    value : float or None
        1 if they always agree, 0 if as often as by chance; None if that cannot be said, because all answers are of one
        class or there are none.
    lower, upper : float or None
        95% bootstrap interval over rows.
    n_rows, n_agreed : int
        Rows that two annotators answered, and those on which they agree.
    """

    coefficient: str
    value: float | None
    lower: float | None
    upper: float | None
    n_rows: int
    n_agreed: int

    def __str__(self) -> str:
        if not self.n_rows:
            return "no row has been answered by two annotators yet"
        said = f"{self.n_agreed} of {self.n_rows} rows that two annotators answered have the same answer"
        if self.value is None:
            return f"{said}; {self.coefficient} cannot be computed, since all answers are of one class"
        interval = "" if self.lower is None else f" (95% interval {self.lower:.2f} to {self.upper:.2f})"
        return f"{said}; {self.coefficient} is {self.value:.2f}{interval}"

    def to_json(self) -> dict[str, Any]:
        """Write it as what JSON can hold."""
        return asdict(self)


def agreement_of(pairs: Sequence[tuple[tuple[str, str], tuple[str, str]]], seed: int = 0) -> Agreement:
    """Say how far annotators agree.

    Parameters
    ----------
    pairs : sequence of ((annotator, class), (annotator, class))
        The two answers to each row.
    seed : int
        Seed of the bootstrap.

    Examples
    --------
    >>> pairs = [(("ana", "a"), ("ben", "a")), (("ana", "b"), ("ben", "b")), (("ben", "a"), ("ana", "b"))]
    >>> print(agreement_of(pairs))
    2 of 3 rows that two annotators answered have the same answer; Cohen's kappa is 0.40 (95% interval 0.00 to 1.00)
    """
    people = sorted({name for pair in pairs for name, _ in pair})
    classes = {label: i for i, label in enumerate(sorted({label for pair in pairs for _, label in pair}))}
    two = len(people) <= 2
    counts = np.zeros((len(classes), len(classes)), dtype=np.int64)
    for pair in pairs:
        (_, one), (_, other) = sorted(pair, key=lambda answer: people.index(answer[0])) if two else pair
        counts[classes[one], classes[other]] += 1
    measure = _kappa if two else _alpha
    n = int(counts.sum())
    value = float(measure(*_margins(counts))) if n else float("nan")
    # One row drawn again and again is the same row.
    low, high = _interval(counts, measure, seed) if n > 1 and np.isfinite(value) else (None, None)
    return Agreement(
        coefficient="Cohen's kappa" if two else "Krippendorff's alpha",
        value=value if np.isfinite(value) else None,
        lower=low,
        upper=high,
        n_rows=n,
        n_agreed=int(np.trace(counts)),
    )


def cohen_kappa(counts: Ints) -> Floats:
    """Return kappa = (p_o - p_e) / (1 - p_e) of tables that count rows by what one said, and what the other said.

    Parameters
    ----------
    counts : array of int, shape (..., C, C)
        Rows by the class that one annotator gave them, and the class that the other gave.

    Returns
    -------
    array of float, shape (...)
        1 if both always agree, 0 if as often as by chance; NaN if all answers are of one class.

    Examples
    --------
    >>> float(cohen_kappa(np.array([[20, 5], [10, 15]])).round(3))
    0.4
    """
    return _kappa(*_margins(counts))


def krippendorff_alpha(counts: Ints) -> Floats:
    """Return alpha = 1 - D_o / D_e for nominal classes, of tables that count rows by their two answers in any order.

    Parameters
    ----------
    counts : array of int, shape (..., C, C)
        Rows by their two answers.

    Returns
    -------
    array of float, shape (...)
        1 if annotators always agree, 0 if as often as by chance; NaN if all answers are of one class.

    Examples
    --------
    >>> float(krippendorff_alpha(np.array([[20, 5], [10, 15]])).round(3))
    0.4
    """
    return _alpha(*_margins(counts))


def _margins(counts: Ints) -> tuple[Ints, Ints, Ints]:
    """Rows on which both say the same, and how often each of the two says what: all that coefficients depend on."""
    return np.trace(counts, axis1=-2, axis2=-1), counts.sum(axis=-1), counts.sum(axis=-2)


def _kappa(agreed: Ints, one: Ints, other: Ints) -> Floats:
    n = one.sum(axis=-1)
    expected = (one * other).sum(axis=-1) / n**2
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((agreed / n - expected) / (1.0 - expected))


def _alpha(agreed: Ints, one: Ints, other: Ints) -> Floats:
    n_class = one + other
    n = n_class.sum(axis=-1)
    expected = 1.0 - (n_class * (n_class - 1)).sum(axis=-1) / (n * (n - 1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(1.0 - (1.0 - 2 * agreed / n) / expected)


def _interval(
    counts: Ints, measure: Callable[[Ints, Ints, Ints], Floats], seed: int
) -> tuple[float | None, float | None]:
    """Bootstrap over rows: drawing rows with replacement draws the cells of the table from a multinomial."""
    n = int(counts.sum())
    one, other = np.nonzero(counts)  # most of the classes never meet
    rng = np.random.default_rng([seed, n])
    drawn = rng.multinomial(n, counts[one, other] / n, size=_RESAMPLES)
    margins = [drawn.astype(np.float64) @ np.eye(len(counts))[of] for of in (one, other)]
    found = measure(drawn[:, one == other].sum(axis=1), *(np.rint(m).astype(np.int64) for m in margins))
    # Resamples of one class say nothing: they agree, and chance would, too.
    found = found[np.isfinite(found)]
    if found.size < _RESAMPLES // 2:
        return None, None
    tail = 50.0 * (1.0 - _CONFIDENCE)
    low, high = np.percentile(found, [tail, 100.0 - tail])
    return float(low), float(high)
