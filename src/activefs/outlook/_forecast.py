"""When will it be done? The expected gap against labels, drawn out until little is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from activefs.outlook._said import FEW_LABELS, connection
from activefs.rendering import words_for
from activefs.types import Floats

DEFAULT_SHARE = 0.05
"""Unless somebody said when little is missing: 5% of what the chosen features tell, added up."""
_HALVES = 0.7
"""A point counts half as much as one with twice as many labels (e to this power)."""
_USUAL_SLOPE, _DOUBT = -1.0, 0.36
"""Gaps fall about as 1 / labels; that counts as much as points that differ by a factor e to the root of this."""
_FLAT = -0.05
_FACTOR = 3.0
"""70% of the forecasts were within this factor of what came true, on the 30 histories that it was chosen on."""
_FAR = 10
_FEWEST_POINTS = 3

State = Literal["there", "ahead", "beyond", "far", "unclear", "unknown"]


@dataclass(frozen=True)
class Forecast:
    """How many more labels until the chosen features are expected to lack little against the best ones.

    Attributes
    ----------
    state : str
        "there": little is missing already. "ahead": `more` labels to go. "beyond": more than there are rows left.
        "far": more than ten times as many as so far. "unclear": the expected gap has not fallen so far, or too few
        labels say how it falls. "unknown": the labels do not show any connection, or nothing expects a gap.
    sentence : str
        The same for people.
    labels : int
        Labels so far.
    gap : float or None
        The expected gap now, in the unit of the quality measure (nats, with mutual information).
    target : float or None
        The gap that is little enough, in the same unit.
    more, least, most : int or None
        Labels to go, about; and between how many that was in seven of ten cases.
    line : tuple of (int, float)
        Label counts and the gap that the forecast expects there, up to its end.

    See Also
    --------
    activefs.Study.forecast : Makes one.
    Curve : How many features are needed.

    Notes
    -----
    Guide: :doc:`/guide/studies`. How it is drawn: :doc:`/method/assisted`.

    Examples
    --------
    >>> from activefs import Study
    >>> study = Study.create("memory:", [[0, 1], [1, 1], [1, 0]] * 9, k=1, random_state=0)
    >>> study.tell([0, 1, 2], ["ill", "healthy", "ill"])
    >>> ahead = study.forecast()
    >>> ahead.state, ahead.labels, ahead.more
    ('unknown', 3, None)
    >>> print(ahead)
    too few labels to say: 3 so far
    """

    state: State
    sentence: str
    labels: int
    gap: float | None = None
    target: float | None = None
    more: int | None = None
    least: int | None = None
    most: int | None = None
    line: tuple[tuple[int, float], ...] = ()

    def __str__(self) -> str:
        return self.sentence

    def to_json(self) -> dict[str, Any]:
        """Write it as what JSON can hold.

        Returns
        -------
        dict
            Attributes by name.
        """
        return {**asdict(self), "line": [list(point) for point in self.line]}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Forecast:
        """Read what :meth:`to_json` wrote.

        Parameters
        ----------
        content : mapping
            Attributes by name.

        Returns
        -------
        Forecast
            The same.
        """
        return cls(**{**content, "line": tuple((int(n), float(gap)) for n, gap in content["line"])})


def forecast(
    points: Sequence[tuple[int, float]],
    *,
    k: int,
    total: float,
    rows_left: int,
    target: float | None = None,
    budget_left: float | None = None,
    informative: bool = True,
    arbitrary: str = "",
    criterion: str = "mutual_information",
) -> Forecast:
    """Draw the expected gap out until little is missing.

    Parameters
    ----------
    points : sequence of (int, float)
        Label counts, ascending, the last one that of now, and the expected gap at each.
    k : int
        How many features are wanted.
    total : float
        The scores of the chosen features, added up.
    rows_left : int
        Rows without a label.
    target : float, optional
        The gap that is little enough; by default 5% of `total`.
    budget_left : float, optional
        Labels that the budget still has.
    informative, arbitrary
        As in :func:`connection`.
    criterion : str
        The quality measure.

    Examples
    --------
    >>> points = [(n, 2.0 / n) for n in (10, 20, 30, 40, 50)]
    >>> print(forecast(points, k=5, total=0.4, rows_left=900))
    about 30 more labels (10 to 90) until the 5 features are expected to lack less than 0.020 nats together, 5% of \
what they tell
    >>> print(forecast([(40, 0.1)], k=5, total=0.4, rows_left=900, informative=False))
    no connection found: with 40 labels, no feature shows more than chance might
    """
    now = points[-1][0] if points else 0
    if why := connection(now, informative, arbitrary):
        return Forecast("unknown", why, now)
    aim = DEFAULT_SHARE * total if target is None else target
    gap = points[-1][1]
    amount = words_for(criterion).amount
    which = f"the {k} features are" if k > 1 else "the feature is"
    little = f"less than {amount(aim, 3)}{' together' if k > 1 else ''}"
    little += "" if target is not None else f", {DEFAULT_SHARE:.0%} of what {'they tell' if k > 1 else 'it tells'}"
    known: dict[str, Any] = {"labels": now, "gap": gap, "target": aim}
    if now < FEW_LABELS:
        return Forecast("unclear", f"not foreseeable yet: too few labels to say ({now} so far)", **known)
    if gap <= aim:
        return Forecast("there", f"already there: {which} expected to lack {amount(gap, 3)}, {little}", **known)
    to_go = _to_go(points, aim)
    if to_go is None:
        return Forecast("unclear", "not foreseeable yet: the expected gap has not fallen so far", **known)
    goal = f"until {which} expected to lack {little}"
    if to_go > _FAR * now:
        return Forecast("far", f"more than {_FAR} times as many labels as so far {goal}", **known)
    more = rounded(to_go)
    around: dict[str, Any] = {"more": more, "least": rounded(more / _FACTOR), "most": rounded(more * _FACTOR)}
    line = _line((now, gap), (now + more, aim))
    if more > rows_left:
        return Forecast("beyond", f"more labels than the {rows_left:,} rows that are left {goal}", **known)
    short = ""
    if budget_left is not None and budget_left < more:
        short = f"; the budget has {budget_left:,.10g} left"
    said = f"about {more:,} more labels ({around['least']:,} to {around['most']:,}) {goal}{short}"
    return Forecast("ahead", said, **known, **around, line=line)


def rounded(labels: float) -> int:
    """Round a number of labels to what a forecast can know.

    Examples
    --------
    >>> [rounded(n) for n in (1, 12, 63, 188, 1234)]
    [5, 10, 60, 200, 1200]
    """
    step = 5 if labels < 50 else 10 if labels < 100 else 50 if labels < 1000 else 100
    return max(5, int(step * round(labels / step)))


def _to_go(points: Sequence[tuple[int, float]], aim: float) -> float | None:
    """Draw the fall of the gap out to the aim; None if it does not fall.

    Two laws are fitted to the logarithm of the gap, recent points first: linear in the logarithm of the labels, which
    falls ever more slowly, and linear in the labels, which does not. Gaps did something in between, so the geometric
    mean of the two is taken.
    """
    if len(points) < _FEWEST_POINTS:
        return None
    counts, gaps = np.asarray(points, dtype=np.float64).T
    logs: Floats = np.log(np.maximum(gaps, aim / 10))  # one gap of 0 among the draws says little
    weights = 0.5 ** (np.log(counts[-1] / counts) / _HALVES)
    weights /= weights.sum()
    height = float(weights @ logs)

    def fall(x: Floats, usual: float, doubt: float) -> tuple[float, float]:
        middle = float(weights @ x)
        along = float(weights @ ((x - middle) * (logs - height)))
        return middle, (along + doubt * usual) / (float(weights @ (x - middle) ** 2) + doubt)

    if fall(np.log(counts), 0.0, 0.0)[1] > _FLAT:
        return None
    middle, slope = fall(np.log(counts), _USUAL_SLOPE, _DOUBT / len(points))
    slowly = float(np.exp(min(middle + (np.log(aim) - height) / min(slope, _FLAT), 50.0))) - counts[-1]
    middle, slope = fall(counts, 0.0, 0.0)
    fast = middle + (np.log(aim) - height) / slope - counts[-1] if slope < 0 else slowly
    return float(np.sqrt(max(slowly, 3.0) * max(fast, 3.0)))


def _line(now: tuple[int, float], end: tuple[int, float]) -> tuple[tuple[int, float], ...]:
    counts = np.unique(np.linspace(now[0], end[0], 13).round().astype(np.int64))
    gaps = np.exp(np.interp(np.log(counts), np.log([now[0], end[0]]), np.log([now[1], end[1]])))
    return tuple(zip(counts.tolist(), gaps.tolist(), strict=True))
