"""Requests to Label Studio: one address, a token that is renewed, and errors that say what to do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from activefs.exceptions import ActiveFSError, InvalidInputError, MissingExtraError
from activefs.label_studio._errors import NotThere, Refused, Unavailable, printable

try:
    import httpx
except ImportError as error:  # pragma: no cover - depends on what is installed
    raise MissingExtraError(
        "Label Studio needs a package that is not installed (httpx): run pip install 'activefs[label-studio]'"
    ) from error

_LARGEST = 1 << 28
"""Bytes of an answer; a project of 100,000 tasks has less on a page."""
_PASSES = {408, 425, 429, 500, 502, 503, 504}
_TIMEOUT = httpx.Timeout(60.0, connect=10.0)
_LONGEST_WAIT = 300.0


class Client:
    """Talks to one Label Studio, and to nobody else: redirections are not followed.

    Parameters
    ----------
    url : str
        Its address, as in the browser, such as ``http://127.0.0.1:8080``.
    token : str
        A personal access token (which is exchanged for tokens that live for minutes), or a legacy token.
    """

    def __init__(self, url: str, token: str) -> None:
        self.url = checked_url(url)
        self._token = checked_token(token)
        self._access: str | None = None if self._is_personal else self._token
        self._http = httpx.Client(follow_redirects=False, timeout=_TIMEOUT)

    @property
    def _is_personal(self) -> bool:
        return self._token.count(".") == 2  # a JSON web token; legacy tokens are hexadecimal numbers

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def get(self, path: str, **params: str | int) -> Any:
        """Read something.

        Parameters
        ----------
        path : str
            Path of the REST API, such as ``/api/projects/``.
        **params
            What comes behind the question mark.

        Returns
        -------
        object
            What the JSON holds.
        """
        return self._call("GET", path, params=params)

    def post(self, path: str, content: Mapping[str, Any]) -> Any:
        """Make something.

        Parameters
        ----------
        path : str
            Path of the REST API.
        content : mapping
            What is sent, as JSON.
        """
        return self._call("POST", path, content=content)

    def patch(self, path: str, content: Mapping[str, Any]) -> Any:
        """Change something.

        Parameters
        ----------
        path : str
            Path of the REST API.
        content : mapping
            What is sent, as JSON.
        """
        return self._call("PATCH", path, content=content)

    def delete(self, path: str) -> None:
        """Remove something.

        Parameters
        ----------
        path : str
            Path of the REST API.
        """
        self._call("DELETE", path)

    def _call(self, method: str, path: str, **said: Any) -> Any:
        fresh = self._access is None
        status, answer = self._send(method, path, self._authorization(), **said)
        if status == 401 and self._is_personal and not fresh:  # access tokens live for five minutes
            self._access = None
            status, answer = self._send(method, path, self._authorization(), **said)
        if status == 401:
            raise Refused(self._wrong_token(answer))
        return self._content(status, answer)

    def _authorization(self) -> str:
        if self._access is None:
            status, answer = self._send("POST", "/api/token/refresh/", None, content={"refresh": self._token})
            if status in (400, 401):
                raise Refused(self._wrong_token(answer))
            found = self._content(status, answer)
            if not isinstance(found, dict) or not isinstance(found.get("access"), str):
                raise ActiveFSError(
                    f"{self.url} gave no access token for the personal access token: is it Label Studio?"
                )
            self._access = found["access"]
        return f"Bearer {self._access}" if self._is_personal else f"Token {self._access}"

    def _send(
        self,
        method: str,
        path: str,
        authorization: str | None,
        *,
        content: Mapping[str, Any] | None = None,
        params: Mapping[str, str | int] | None = None,
    ) -> tuple[int, bytes]:
        headers = {"Accept": "application/json"} | ({} if authorization is None else {"Authorization": authorization})
        try:
            with self._http.stream(method, self.url + path, headers=headers, json=content, params=params) as response:
                answer = self._read(response)
        except httpx.TransportError as error:
            why = printable(error) or type(error).__name__
            raise Unavailable(f"Label Studio at {self.url} cannot be reached ({why})") from None
        if response.is_redirect:
            where = printable(response.headers.get("Location", "?"), 200)
            raise InvalidInputError(
                f"{self.url} sends us on to {where}, where the token is not taken: if that is Label Studio, give its "
                "address as --url"
            )
        if response.status_code in _PASSES:
            raise Unavailable(
                f"Label Studio at {self.url} answers with status {response.status_code} ({_detail(answer)})",
                _seconds(response.headers.get("Retry-After")),
            )
        return response.status_code, answer

    def _read(self, response: httpx.Response) -> bytes:
        parts, size = [], 0
        for part in response.iter_bytes():
            parts.append(part)
            size += len(part)
            if size > _LARGEST:
                raise ActiveFSError(
                    f"{self.url} sends more than {_LARGEST >> 20} MiB in one answer: is it Label Studio?"
                )
        return b"".join(parts)

    def _content(self, status: int, answer: bytes) -> Any:
        if status == 404:
            raise NotThere(_detail(answer))
        if status == 403:
            raise Refused(f"the user of the token may not do this in Label Studio: {_detail(answer)}")
        if status >= 400:
            raise Refused(f"Label Studio does not accept this: {_detail(answer)}")
        if not answer:
            return None
        try:
            return json.loads(answer)
        except (ValueError, RecursionError):
            raise ActiveFSError(f"what {self.url} answers is no JSON: is it Label Studio?") from None

    def _wrong_token(self, answer: bytes) -> str:
        return (
            f"Label Studio at {self.url} does not accept the token ({_detail(answer)}): make a personal access token "
            "there (Account & Settings), and put it into the file of --token-file or into LABEL_STUDIO_API_KEY"
        )


def checked_url(url: str) -> str:
    """Refuse what is no plain address of a server; a path in front of all others may be part of it.

    Examples
    --------
    >>> checked_url("http://127.0.0.1:8080/")
    'http://127.0.0.1:8080'
    """
    wanted = f"the address of Label Studio must look like http://127.0.0.1:8080, got {printable(url, 80)!r}"
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        raise InvalidInputError(wanted) from None
    if parts.username is not None or parts.password is not None:
        raise InvalidInputError("the address of Label Studio must not hold a name or a password; it takes a token")
    plain = (
        parts.scheme in ("http", "https") and parts.hostname and not parts.query and not parts.fragment and port != 0
    )
    if not plain or not url.isprintable() or any(c.isspace() for c in url.strip()):
        raise InvalidInputError(wanted)
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def checked_token(token: str) -> str:
    """Refuse what cannot be a token, without repeating it."""
    token = token.strip()
    if not token or not token.isascii() or not token.isprintable() or any(c.isspace() for c in token):
        raise InvalidInputError("the token of Label Studio must be one word of letters, digits and signs")
    return token


def _seconds(text: str | None) -> float | None:
    """How long a busy server asks to wait; None if it does not say it in seconds."""
    if text is None or not text.strip().isdigit():
        return None
    return min(float(text), _LONGEST_WAIT)


def _detail(answer: bytes) -> str:
    """What an error of Label Studio says, in one line."""
    try:
        said = json.loads(answer)
    except (ValueError, RecursionError):
        return "it gives no reason"
    if not isinstance(said, dict):
        return printable(said)
    wrong = said.get("validation_errors")
    return printable(json.dumps(wrong, ensure_ascii=False) if wrong else said.get("detail", "it gives no reason"))
