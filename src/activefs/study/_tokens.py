"""Tokens: how annotators prove who they are.

A token is a random number of 256 bits, not a password that somebody made up. Nobody can guess it or find it in a
dictionary, so a slow hash (argon2, scrypt) would protect nothing, and would cost every request to the API a good part
of a second. What is kept is its SHA-256; the public part in front, the key, finds the annotator it belongs to.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from activefs.exceptions import InvalidInputError
from activefs.storages import Annotator, Role, SignIn
from activefs.study._settings import check_text

_PREFIX = "afs"
SIGNED_IN = timedelta(days=14)


def new_annotator(name: str, role: Role = Role.ANNOTATOR) -> tuple[Annotator, str]:
    """Make an annotator and the token, which is shown once and kept nowhere.

    Examples
    --------
    >>> annotator, token = new_annotator("ana")
    >>> find_annotator([annotator], token).name
    'ana'
    >>> find_annotator([annotator], token + "x") is None
    True
    """
    check_text(name, "the name of an annotator")
    if name != name.strip():
        raise InvalidInputError(f"the name of an annotator must not begin or end with a space, got {name!r}")
    key, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
    token = f"{_PREFIX}_{key}_{secret}"
    return Annotator(name, role, key, digest_of(token), datetime.now(UTC)), token


def join_link(base: str, token: str) -> str:
    """Make the link that signs somebody in.

    The token is in the fragment, which browsers do not send: it gets into no log.

    Examples
    --------
    >>> join_link("http://study.example:8000", "afs_1_2")
    'http://study.example:8000/join#afs_1_2'
    """
    parts = urlsplit(base.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise InvalidInputError(f"the address of the server must be like http://host:8000/, got {base!r}")
    return f"{base.strip().rstrip('/')}/join#{token}"


def find_annotator(annotators: Iterable[Annotator], token: str) -> Annotator | None:
    """Find the annotator that a token belongs to."""
    prefix, _, rest = token.strip().partition("_")
    key = rest.partition("_")[0]
    digest = digest_of(token.strip())
    for annotator in annotators:
        if prefix == _PREFIX and annotator.key == key and hmac.compare_digest(annotator.digest, digest):
            return annotator
    return None


def new_sign_in(name: str) -> tuple[SignIn, str]:
    """Make a sign-in of a browser, and the secret that its cookie carries."""
    secret = secrets.token_urlsafe(32)
    return SignIn(digest_of(secret), name, datetime.now(UTC) + SIGNED_IN), secret


def digest_of(secret: str) -> str:
    """Hash a secret of at least 256 random bits."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
