"""Is the model any good here? How often it is right on rows that it did not know, and whether it knows how often."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from activefs.model import class_weights, one_hot, seen_classes
from activefs.outlook._held_out import HeldOut
from activefs.types import Floats, Targets

FEWEST_ROWS = 10
"""Rows below which nothing is said: an interval would hold nearly everything."""


@dataclass(frozen=True)
class ModelCheck:
    """How good the model is on labelled rows, each predicted without its own label.

    It is the `model_check` of a :class:`activefs.Selection` by the assisted estimate, and of a study's
    :class:`activefs.study.Status`.

    Attributes
    ----------
    n_rows : int
        Rows that it was tried on.
    drawn : bool
        Whether all of these were drawn at random; otherwise some were chosen because the model was unsure of them.
    accuracy, lower, upper : float or None
        Share of rows whose likeliest class is theirs, from 0 to 1, and its interval; None if there are too few rows.
    expected : float or None
        How often the model itself expects to be right: the mean probability of the likeliest class.
    excess, excess_lower, excess_upper : float or None
        By how much it is surer of itself than right, and the interval: above 0 if it is too sure.
    baseline : float or None
        Share of the rows that are of the class most frequent among all labels.

    See Also
    --------
    activefs.Selection : Has one as `model_check`.

    Notes
    -----
    Guide: :doc:`/guide/certainty`. How it is measured: :doc:`/method/assisted`.

    Examples
    --------
    >>> import numpy as np
    >>> from activefs import Session
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, size=(200, 6))
    >>> y = X[:, 4] ^ (rng.random(200) < 0.1)  # one column, and a tenth of the labels is noise
    >>> session = Session(X, k=1, strategy="random", estimator="assisted", random_state=0)
    >>> session.tell(range(60), y[:60])
    >>> check = session.selection().model_check
    >>> check.n_rows, check.accuracy > check.baseline
    (60, True)
    >>> print(check)
    on 60 labelled rows, each predicted without its own label, the model is right in 88% (78% to 94%), ...
    """

    n_rows: int
    drawn: bool
    accuracy: float | None = None
    lower: float | None = None
    upper: float | None = None
    expected: float | None = None
    excess: float | None = None
    excess_lower: float | None = None
    excess_upper: float | None = None
    baseline: float | None = None

    def __str__(self) -> str:
        rows = HeldOut.alike(self.n_rows, drawn=self.drawn).what
        if self.accuracy is None or self.lower is None or self.upper is None or self.expected is None:
            return f"too few rows to say: {rows}, and {FEWEST_ROWS} are needed"
        right = f"the model is right in {self.accuracy:.0%} ({self.lower:.0%} to {self.upper:.0%})"
        right += "" if self.baseline is None else f", the commonest class alone in {self.baseline:.0%}"
        trial = "each predicted without its own label"
        return f"on {rows}, {trial}, {right}; it expects {self.expected:.0%}, so it is {self._sureness}"

    @property
    def _sureness(self) -> str:
        assert self.excess is not None and self.excess_lower is not None and self.excess_upper is not None
        if self.excess_lower <= 0.0 <= self.excess_upper:
            return "about as sure as it should be"
        how = "too sure" if self.excess > 0 else "not sure enough"
        near, far = sorted((abs(self.excess_lower), abs(self.excess_upper)))
        return f"{how} of itself, by {abs(self.excess):.0%} ({near:.0%} to {far:.0%})"

    def to_json(self) -> dict[str, Any]:
        """Write it as what JSON can hold.

        Returns
        -------
        dict
            Attributes by name.
        """
        return asdict(self)

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> ModelCheck:
        """Read what :meth:`to_json` wrote.

        Parameters
        ----------
        content : mapping
            Attributes by name.

        Returns
        -------
        ModelCheck
            The same.
        """
        return cls(**content)


def check_model(left_out: Floats, labels: Targets, held_out: HeldOut, confidence: float = 0.95) -> ModelCheck:
    """Compare what a model says of labels that were left out with what they are.

    Of a label that is not settled it is right as often as its class is the true one.

    Parameters
    ----------
    left_out : array of shape (t, C)
        Class probabilities of each labelled row by a model that had not seen its label.
    labels : array of int, shape (t,), or of float, shape (t, C)
        The classes, or class probabilities.
    held_out : HeldOut
        The rows that count.
    confidence : float
        Of the intervals.
    """
    n = held_out.places.size
    if n < FEWEST_ROWS or seen_classes(labels).size < 2:
        return ModelCheck(n, held_out.drawn)
    n_classes = left_out.shape[1]
    said, truth = left_out[held_out.places], one_hot(labels[held_out.places], n_classes)
    right = truth[np.arange(n), said.argmax(axis=1)]
    sure = said.max(axis=1)
    accuracy, excess = held_out.share(right, confidence), held_out.mean(sure - right, confidence)
    usual = class_weights(labels, n_classes).argmax()
    return ModelCheck(
        n,
        held_out.drawn,
        *accuracy,
        expected=held_out.mean(sure).value,
        excess=excess.value,
        excess_lower=excess.lower,
        excess_upper=excess.upper,
        baseline=held_out.mean(truth[:, usual]).value,
    )
