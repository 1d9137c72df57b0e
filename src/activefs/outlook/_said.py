"""Too few labels to say, or no connection found: two things that must not be mixed up."""

from __future__ import annotations

FEW_LABELS = 30
"""With fewer labels, that nothing was found says nothing about the table."""


def connection(n_labels: int, informative: bool, arbitrary: str = "") -> str:
    """Say why an answer means little; nothing if the labels do have to do with features.

    Parameters
    ----------
    n_labels : int
        Labels so far.
    informative : bool
        Whether they show that anything in the table has to do with them.
    arbitrary : str
        Why any ranking of features would be arbitrary; empty if it would not.

    Examples
    --------
    >>> connection(0, False, "there is no label yet")
    'too few labels to say: there is no label yet'
    >>> connection(12, False)
    'too few labels to say: 12 so far'
    >>> connection(80, False)
    'no connection found: with 80 labels, no feature shows more than chance might'
    >>> connection(80, True)
    ''
    """
    if arbitrary:
        return f"too few labels to say: {arbitrary}"
    if informative:
        return ""
    if n_labels < FEW_LABELS:
        return f"too few labels to say: {n_labels} so far"
    return f"no connection found: with {n_labels:,} labels, no feature shows more than chance might"
