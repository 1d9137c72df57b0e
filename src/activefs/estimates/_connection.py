"""Whether labels show any connection with the table, without changing one's mind at every label."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import ndtri

from activefs.model import Assistant, Completion, class_rates, key_of, one_hot, seen_classes, simplest
from activefs.pool import Pool
from activefs.types import Ints, Targets

_COMPETING = 40
"""About as many models compete for the labels; those left out had a part in choosing among them."""
_FIRST_LOOK = 12.5
_REMEMBERED = 200


def looks(n_labels: int) -> Iterator[int]:
    """Give the label counts at which labels are tested, the last one first: twice as many every other time.

    Examples
    --------
    >>> list(looks(150))
    [141, 100, 71, 50, 35, 25, 18, 13]
    """
    at: list[int] = []
    while (count := round(_FIRST_LOOK * 2 ** (len(at) / 2) + 1e-9)) <= n_labels:
        at.append(count)
    yield from reversed(at)


def is_connected(pool: Pool, found: Completion, delta: float) -> bool:
    """Test whether labels show, at confidence delta, that anything in the table has to do with them.

    Either the leave-one-out log-likelihood of the model is larger than that of the classes' shares, or the labels
    of a single value differ from the others by more than chance allows among so many values.
    """
    if seen_classes(found.labels).size < 2 or len(found.labels) < 2:
        return False
    gain = found.gains
    spread = gain.std(ddof=1) * np.sqrt(gain.size)
    # 1/delta times as likely, not by a few labels alone, and by more than the best of many models gains by chance.
    chance = delta / 2 / _COMPETING
    if gain.sum() > max(-np.log(chance), -ndtri(chance) * spread):
        return True
    return bool(largest_deviation(pool, found) > -ndtri(delta / 4 / max(1, int(pool.offsets[-1]))))


class ShownConnection:
    """Whether labels have shown a connection with the table at some look; then more labels do not take it back.

    The labels are tested in the order in which they came, at a few counts only (`looks`), and one test that is passed
    is enough. So the answer changes once, from no to yes. What can take it back is a label that is undone or corrected:
    then the tests are made anew, with the labels as they are now.

    Parameters
    ----------
    assistant : Assistant
        The model and the pool.
    delta : float
        Confidence parameter of a test.

    Examples
    --------
    >>> X = np.random.default_rng(0).integers(0, 3, size=(300, 4))
    >>> y = (X[:, 2] > 0).astype(int)
    >>> connection = ShownConnection(Assistant(Pool.from_table(X), seed=0), 0.05)
    >>> [connection.shown(np.arange(n), y[:n], 2) for n in (5, 40, 41)]
    [False, True, True]
    """

    def __init__(self, assistant: Assistant, delta: float) -> None:
        self.assistant, self._delta = assistant, delta
        self._tested: dict[bytes, bool] = {}

    def shown(self, rows: Ints, labels: Targets, n_classes: int) -> bool:
        """Say whether the labels of some rows, in the order in which they came, have shown it.

        Parameters
        ----------
        rows, labels : arrays
            Labelled rows of the pool and their class numbers, or class probabilities.
        n_classes : int
            How many classes there are.
        """
        return any(self._test(rows[:n], labels[:n], n_classes) for n in looks(len(labels)))

    def _test(self, rows: Ints, labels: Targets, n_classes: int) -> bool:
        labels = simplest(labels)
        key = key_of(n_classes, rows, labels)
        if key not in self._tested:
            while len(self._tested) >= _REMEMBERED:
                del self._tested[next(iter(self._tested))]
            found = self.assistant.complete(rows, labels, n_classes)
            self._tested[key] = is_connected(self.assistant.pool, found, self._delta)
        return self._tested[key]


def largest_deviation(pool: Pool, found: Completion) -> float:
    """Return the largest difference of a cell's labels from the classes' shares, in standard errors."""
    seen = np.ones((len(found.labels), found.n_classes + 1))
    seen[:, :-1] = one_hot(found.labels, found.n_classes)
    counts = pool.sum_cells(found.labelled, seen)
    rates = class_rates(found.labels, found.n_classes)
    n = counts[:, -1:]
    # Few labels are not normally distributed: one more of either kind is assumed.
    deviation = np.maximum(np.abs(counts[:, :-1] - n * rates) - 1.0, 0.0)
    return float(np.max(deviation / np.sqrt(np.maximum(n, 1.0) * rates * (1.0 - rates))))
