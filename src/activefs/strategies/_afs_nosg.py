"""AFS-NOSG: the ablation without the safeguard."""

from __future__ import annotations

from typing import ClassVar

from activefs.strategies._afs import AFS
from activefs.strategies._pairs import Psi, RhoFloor


class AFSNoSafeguard(AFS):
    """AFS that never falls back to random rows (Lambda = infinity).

    An ablation of the paper.

    Parameters
    ----------
    psi, rho_floor, unseen
        As for :class:`AFS`.

    See Also
    --------
    AFS : With the safeguard.

    Notes
    -----
    What else the ablations leave out: :doc:`/method/algorithm`. How they compare: :doc:`/guide/strategies`.

    Examples
    --------
    >>> import numpy as np
    >>> from activefs import Session
    >>> from activefs.strategies import AFS, AFSNoSafeguard
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, size=(100, 6))
    >>> y = X[:, 2] ^ (rng.random(100) < 0.05)
    >>> asked = []
    >>> for strategy in (AFSNoSafeguard(), AFS(safeguard=None), AFS(safeguard=3)):
    ...     session = Session(X, k=1, strategy=strategy, budget=20, random_state=0)
    ...     while not session.finished:
    ...         row = session.ask()
    ...         session.tell(row, int(y[row]))
    ...     asked.append(session.labelled.tolist())
    >>> asked[0] == asked[1], asked[0] == asked[2]
    (True, False)
    """

    name: ClassVar[str] = "afs-nosg"

    def __init__(self, *, psi: Psi = "l1", rho_floor: RhoFloor = "labelled", unseen: float = 0.5) -> None:
        super().__init__(psi=psi, safeguard=None, rho_floor=rho_floor, unseen=unseen)
