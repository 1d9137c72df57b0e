"""How many features do I need? What each tells alone, and what the first ones tell together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from activefs.frames import frame_library
from activefs.outlook._held_out import HeldOut
from activefs.rendering import words_for
from activefs.types import Floats, Ints

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NUMBERS = (
    *("alone", "alone_lower", "alone_upper", "together", "together_lower", "together_upper"),
    *("percent", "percent_lower", "percent_upper"),
)
_RESAMPLED = 400
_MORE, _LESS_WITH = 1.15, 40
"""Rows that are left out of one and the same set of labels depend on each other: on eight public tables the truth was
this much farther off than independent rows would have it, the more so with few labels."""
_TINY = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Curve:
    """For 1 to 2k features, in the order in which they are chosen: what each tells alone, and what they tell together.

    Together is measured on labels that were left out: by how many nats per row a model of these columns alone predicts
    them better than the shares of the classes do (log loss). Columns tell what the best model makes of them, and it may
    leave some of them alone: more columns never tell less. All intervals are what is believed at the confidence of the
    session.

    Attributes
    ----------
    features : array of int, shape (n,)
        Columns of the table; the first `k` are the chosen ones. n is 2k, or the number of features if that is less.
    names : tuple of str
        Their names.
    k : int
        How many were wanted.
    criterion : str
        The quality measure of `alone`.
    alone, alone_lower, alone_upper : array of float, shape (n,)
        Quality of each feature alone, and its bounds, as in the selection.
    together, together_lower, together_upper : array of float, shape (n,)
        What the features up to this one tell together, in nats, and its interval; NaN if `note` says why not.
    percent, percent_lower, percent_upper : array of float, shape (n,)
        The same in per cent of what all columns tell; NaN while it is not clear that they tell anything.
    all_columns : tuple of float
        What all columns tell, in nats, and its interval.
    by : str
        Which model makes most of all columns: "the session's model", "a small model of all columns", or one of fewer.
    rows : str
        On which rows that was measured, in words.
    note : str
        Why there is nothing to say about features together; empty if there is.

    See Also
    --------
    activefs.Selection.curve : Computes it.
    Forecast : How many more labels are needed.

    Notes
    -----
    Guide: :doc:`/guide/choosing`. How it is measured: :doc:`/method/assisted`.

    Examples
    --------
    >>> import numpy as np
    >>> import activefs
    >>> X = np.random.default_rng(0).integers(0, 2, size=(300, 6))
    >>> session = activefs.Session(X, k=2, strategy="random", random_state=0)
    >>> session.tell(range(120), X[:120, 1] + 2 * X[:120, 4])
    >>> curve = session.selection().curve()
    >>> sorted(curve.features[:2].tolist()), len(curve), bool(curve.percent[1] > 95)
    ([1, 4], 4, True)
    """

    features: Ints
    names: tuple[str, ...]
    k: int
    criterion: str
    alone: Floats
    alone_lower: Floats
    alone_upper: Floats
    together: Floats
    together_lower: Floats
    together_upper: Floats
    percent: Floats
    percent_lower: Floats
    percent_upper: Floats
    all_columns: tuple[float, float, float]
    by: str
    rows: str
    note: str = ""

    def __len__(self) -> int:
        return len(self.features)

    @property
    def sentence(self) -> str:
        """The answer in one sentence: what the k features tell, and how many are enough for nearly all of it: str."""
        if self.note:
            return self.note
        m = min(self.k, len(self)) - 1
        said = f"the {self.k} features tell" if self.k > 1 else "the feature tells"
        nats = f"{self.together[m]:.3f} nats ({self.together_lower[m]:.3f} to {self.together_upper[m]:.3f})"
        if np.isnan(self.percent[m]):
            return f"{said} {nats} together; all columns tell too little to compare with"
        said += f" {self.percent[m]:.0f}% ({self.percent_lower[m]:.0f}% to {self.percent_upper[m]:.0f}%) of what all "
        said += f"columns tell: {nats} of {self.all_columns[0]:.3f}"
        best = float(np.nanmax(self.percent))
        enough = int(np.argmax(self.percent >= 0.95 * best)) + 1
        if enough < self.k:
            said += f"; the first {f'{enough} tell' if enough > 1 else 'one tells'} {self.percent[enough - 1]:.0f}%"
        elif enough > self.k:
            said += f"; {enough} would tell {self.percent[enough - 1]:.0f}%"
        return said

    def __str__(self) -> str:
        unit = words_for(self.criterion).in_brackets
        lines = [self.sentence[:1].upper() + self.sentence[1:] + "."]
        lines.append(f"     feature: alone{unit}; the features so far together (nats; % of all columns)")
        for i, name in enumerate(self.names):
            lines.append(f"{i + 1:3d}. {name}: {_span(self.alone, self.alone_lower, self.alone_upper, i, 3)}; "
                         f"{_span(self.together, self.together_lower, self.together_upper, i, 3)}; "
                         f"{_span(self.percent, self.percent_lower, self.percent_upper, i, 0, '%')}")  # fmt: skip
        return "\n".join(lines)

    def to_frame(self) -> Any:
        """Return it as a data frame: one row per feature.

        Returns
        -------
        DataFrame
            Of pandas, or of polars if pandas is not installed: `n_features` (from 1), `feature`, `column`, `chosen`,
            and the numbers under the names of the attributes.

        Examples
        --------
        >>> import numpy as np
        >>> import activefs
        >>> X = np.random.default_rng(0).integers(0, 2, size=(300, 6))
        >>> session = activefs.Session(X, k=2, strategy="random", random_state=0)
        >>> session.tell(range(120), X[:120, 1] + 2 * X[:120, 4])
        >>> frame = session.selection().curve().to_frame()
        >>> frame["n_features"].tolist(), frame["chosen"].tolist()
        ([1, 2, 3, 4], [True, True, False, False])
        """
        columns = {"n_features": np.arange(1, len(self) + 1), "feature": np.asarray(self.names, dtype=object)}
        columns |= {"column": self.features, "chosen": np.arange(len(self)) < self.k}
        return frame_library()(columns | {name: getattr(self, name) for name in _NUMBERS})

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draw what the first features tell together as a line with its interval, and what each tells alone as a bar.

        Parameters
        ----------
        axes : Axes of matplotlib, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        Axes of matplotlib
            What was drawn in.
        """
        from activefs.rendering import draw_curve

        if axes is None:
            import matplotlib.pyplot as plt

            axes = plt.subplots(figsize=(7.2, 4.0), layout="constrained")[1]
        words = words_for(self.criterion)
        return draw_curve(
            self.names,
            (self.together, self.together_lower, self.together_upper),
            (self.alone, self.alone_lower, self.alone_upper) if words.unit == "nats" else None,
            self.all_columns[0],
            k=self.k,
            axes=axes,
        )

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from activefs.rendering import render

        return render("curve.html", curve=self, words=words_for(self.criterion))

    def to_json(self) -> dict[str, Any]:
        """Write it as what JSON can hold; what is not known is None.

        Returns
        -------
        dict
            Attributes by name, arrays as lists.
        """
        kept = {f.name: getattr(self, f.name) for f in fields(self)}
        for name in _NUMBERS:
            kept[name] = [None if np.isnan(v) else float(v) for v in kept[name]]
        known = [None if np.isnan(v) else float(v) for v in self.all_columns]
        return kept | {"features": self.features.tolist(), "names": list(self.names), "all_columns": known}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Curve:
        """Read what :meth:`to_json` wrote.

        Parameters
        ----------
        content : mapping
            Attributes by name.

        Returns
        -------
        Curve
            The same.
        """
        numbers = {name: np.asarray(content[name], dtype=np.float64) for name in _NUMBERS}
        known = tuple(float("nan") if v is None else v for v in content["all_columns"])
        features, names = np.asarray(content["features"], dtype=np.int64), tuple(content["names"])
        return cls(**{**content, **numbers, "features": features, "names": names, "all_columns": known})


def no_curve(size: int) -> dict[str, Any]:
    """Make the same parts where nothing is known."""
    return {name: np.full(size, np.nan) for name in _NUMBERS[3:]} | {"all_columns": (np.nan,) * 3, "by": ""}


def curve_from(
    gains: Sequence[Floats], everything: Mapping[str, Floats], held_out: HeldOut, confidence: float
) -> dict[str, Any]:
    """Make of what columns tell of each row the parts of a curve that are about features together.

    Parameters
    ----------
    gains : sequence of arrays
        For the first feature, the first two, ...: by how many nats each of the rows is predicted better.
    everything : mapping of str to array
        The same for all columns, by several models; a model of fewer columns is one, too, if it is better.
    held_out : HeldOut
        The rows.
    confidence : float
        Of the intervals.
    """
    fewer = [f"a model of the first {f'{m} features' if m > 1 else 'feature'} alone" for m in range(1, len(gains) + 1)]
    every = dict(zip(fewer, gains, strict=True)) | dict(everything)
    wider = _MORE * np.sqrt(1.0 + _LESS_WITH / held_out.size)
    means = [held_out.mean(g, confidence).widened(wider) for g in every.values()]
    values = np.array([mean.value for mean in means])
    # Columns tell what the best model makes of them, and a model may leave some of its columns alone.
    best = [int(np.argmax(values[:m])) for m in range(1, len(gains) + 1)]
    nats = np.maximum([means[i] for i in best], 0.0)
    most = int(np.argmax(values))
    percent = np.full((3, len(gains)), np.nan)
    if means[most].lower > 0:
        # Rows drawn again show how far the shares may be off, and whether another model might as well be the best.
        again = held_out.resampled(_RESAMPLED) @ np.stack(list(every.values()), axis=1)
        shares = np.maximum.accumulate(np.maximum(again[:, : len(gains)], 0.0), axis=1)
        shares /= np.maximum(again.max(axis=1, keepdims=True), _TINY)
        tail = (1.0 - confidence) / 2
        low, high = np.quantile(np.minimum(shares, 1.0), [tail, 1.0 - tail], axis=0)
        now = nats[:, 0] / values[most]
        ends = [now - wider * np.maximum(now - low, 0.0), now + wider * np.maximum(high - now, 0.0)]
        percent = 100.0 * np.clip([now, *ends], 0.0, 1.0)
    parts = dict(zip(_NUMBERS[3:], [*nats.T, *percent], strict=True))
    return parts | {"all_columns": tuple(np.maximum(means[most], 0.0).tolist()), "by": list(every)[most]}


def _span(middle: Floats, lower: Floats, upper: Floats, i: int, digits: int, unit: str = "") -> str:
    if np.isnan(middle[i]):
        return "not known"
    return f"{middle[i]:.{digits}f}{unit} ({lower[i]:.{digits}f}{unit} to {upper[i]:.{digits}f}{unit})"
