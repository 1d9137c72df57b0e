"""Addresses that are told about milestones, and the secret that signs what they are told."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from activefs.exceptions import InvalidInputError

SECRET_VARIABLE = "ACTIVEFS_WEBHOOK_SECRET"
SHORTEST = 16
_LONGEST = 4096


@dataclass(frozen=True)
class Address:
    """Where to send; what is said about it (in the log of the server and of the study) holds no secret.

    Attributes
    ----------
    url : httpx.URL
        The address. Its path may be a secret as well as a password in it, so that it is never shown.
    shown : str
        Scheme, host and port.
    key : str
        The same with a few digits of a hash of all of it, which tell addresses of one host apart.
    """

    url: httpx.URL = field(repr=False)
    shown: str
    key: str

    @classmethod
    def checked(cls, said: str) -> Address:
        """Read an address.

        Raises
        ------
        InvalidInputError
            If it is none; the message does not repeat it.

        Examples
        --------
        >>> Address.checked("https://me:secret@example.org/hook/abc").shown
        'https://example.org'
        """
        try:
            url = httpx.URL(said.strip())
            shown = f"{url.scheme}://{f'[{url.host}]' if ':' in url.host else url.host}"
            shown += "" if url.port is None else f":{url.port}"
        except (httpx.InvalidURL, ValueError):
            raise InvalidInputError(_ADVICE) from None
        wrong = not url.host or "%" in url.host or not said.strip().isprintable()
        wrong = wrong or (url.port is not None and not 0 < url.port < 65536)
        if wrong or url.scheme not in ("http", "https"):
            raise InvalidInputError(_ADVICE)
        url = url.copy_with(fragment=None)
        return cls(url, shown, f"{shown}#{hashlib.sha256(str(url).encode()).hexdigest()[:12]}")


_ADVICE = "a webhook must be an address like https://example.org/hook (http or https, and a host)"


def checked_addresses(said: Sequence[str]) -> tuple[Address, ...]:
    """Read addresses; one that is named twice counts once."""
    return tuple({address.key: address for address in map(Address.checked, said)}.values())


def read_secret(file: Path | None, environment: Mapping[str, str]) -> bytes:
    """Read the secret: from a file if one is named, else from the environment.

    Raises
    ------
    InvalidInputError
        If there is none, or one that could be guessed; the message does not repeat it.
    """
    if file is not None:
        try:
            with file.open("rb") as source:
                secret = source.read(_LONGEST + 1).strip()
        except OSError as error:
            raise InvalidInputError(f"the secret of the webhook cannot be read from {file}: {error.strerror}") from None
    else:
        secret = environment.get(SECRET_VARIABLE, "").strip().encode("utf-8", "surrogateescape")
    if not SHORTEST <= len(secret) <= _LONGEST:
        raise InvalidInputError(
            f"a webhook is signed with a secret of {SHORTEST} to {_LONGEST:,} characters that its receiver knows too: "
            f"put one into the environment variable {SECRET_VARIABLE}, or into a file that is named with "
            "--webhook-secret-file"
        )
    return secret


def signature(secret: bytes, seconds: int, body: bytes) -> str:
    """Sign what is sent: whoever knows the secret can tell that it was sent by us, when, and that nothing was changed.

    Examples
    --------
    >>> signature(b"secret of the receiver", 1700000000, b"{}")[:24]
    't=1700000000,v1=3536b85f'
    """
    found = hmac.new(secret, str(seconds).encode() + b"." + body, hashlib.sha256).hexdigest()
    return f"t={seconds},v1={found}"
