"""The choice that all labels lead to."""

from __future__ import annotations

from activefs.engine._selection import make_selection
from activefs.estimates import Estimates
from activefs.redundancy import Rule
from activefs.seeds import root_seed, stream
from activefs.selection import Selection


def select_with_all_labels(estimates: Estimates, rule: Rule, k: int, seed: int) -> Selection:
    """Choose features as a session would that knows the labels of all rows: nothing is uncertain any more.

    Parameters
    ----------
    estimates : Estimates
        What all labels say.
    rule : Rule
        How features are chosen.
    k : int
        How many.
    seed : int
        Seed of the session; it breaks ties.

    Examples
    --------
    >>> import numpy as np
    >>> from activefs import redundancy
    >>> from activefs.pool import Pool
    >>> pool = Pool.from_table([["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]], names=["letter", "sign"])
    >>> counts = np.array([[2, 0], [0, 2], [1, 1], [1, 1]])
    >>> select_with_all_labels(Estimates.from_counts(pool, counts), redundancy.create("none"), 1, seed=0).names
    ('letter',)
    """
    leaders = rule.choose(estimates, k, stream(root_seed(seed), 1, estimates.n_labels))
    known = estimates.value
    return make_selection(estimates, leaders, (known, known), guaranteed_gap=0.0, settled=True)
