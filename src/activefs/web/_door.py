"""The way in while nobody has a token: an address with a secret, which is shown where the server was started."""

from __future__ import annotations

import hmac
import secrets
import threading
from collections.abc import Callable

PARAMETER = "start"
"""Name of the secret in the address."""


class Door:
    """A secret that lets one browser in; then there is another one for the next.

    Whoever can see the terminal may use the server. Other people and other programs on the same machine can reach its
    port, too, but have not seen the address.

    Attributes
    ----------
    announce : callable
        Is told the new secret when one was used.

    Examples
    --------
    >>> door = Door()
    >>> first = door.secret
    >>> door.let_in("guessed"), door.let_in(first), door.let_in(first)
    (False, True, False)
    """

    def __init__(self, announce: Callable[[str], None] = lambda secret: None) -> None:
        self.announce = announce
        self._lock = threading.Lock()
        self._secret = secrets.token_urlsafe(32)

    def __repr__(self) -> str:
        return "Door()"

    @property
    def secret(self) -> str:
        """What lets the next browser in."""
        return self._secret

    def let_in(self, said: str) -> bool:
        """Whether somebody knows the secret; it is used up then."""
        with self._lock:
            if not hmac.compare_digest(said.encode("utf-8", "replace"), self._secret.encode()):
                return False
            self._secret = secrets.token_urlsafe(32)
        self.announce(self._secret)
        return True
