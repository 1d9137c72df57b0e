"""AFS-NOSG: the ablation without the safeguard."""

from __future__ import annotations

from typing import ClassVar

from activefs.strategies._afs import AFS
from activefs.strategies._pairs import Psi, RhoFloor


class AFSNoSafeguard(AFS):
    """AFS that never falls back to random rows (Lambda = infinity).

    Parameters
    ----------
    psi, rho_floor, unseen
        As for :class:`AFS`.

    Examples
    --------
    >>> AFSNoSafeguard().safeguard is None
    True
    """

    name: ClassVar[str] = "afs-nosg"

    def __init__(self, *, psi: Psi = "l1", rho_floor: RhoFloor = "labelled", unseen: float = 0.5) -> None:
        super().__init__(psi=psi, safeguard=None, rho_floor=rho_floor, unseen=unseen)
