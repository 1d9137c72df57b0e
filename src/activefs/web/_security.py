"""Who is there, and whether the request is theirs: tokens, cookies, forged forms."""

from __future__ import annotations

import getpass
import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Literal
from urllib.parse import urlsplit

from fastapi import Depends, Request, Response
from fastapi.responses import RedirectResponse

from activefs.exceptions import ActiveFSError, NotAllowedError
from activefs.storages import Role
from activefs.study import SIGNED_IN, Person, digest_of, find_annotator, new_sign_in
from activefs.web._door import PARAMETER
from activefs.web._gate import Gate
from activefs.web._service import Served, home_of, path_of, root_of, served_by, service_of

CSRF_HEADER = "X-CSRF-Token"
_SAFE = {"GET", "HEAD", "OPTIONS"}


class NotSignedIn(ActiveFSError):  # noqa: N818 - a state, not a fault
    """There is no token, or it is not one of this study."""


@dataclass(frozen=True)
class Visitor:
    """Somebody who may use the study, and the token that their forms must carry.

    `is_local`: nobody has a token, and they have opened the address that the terminal showed.
    """

    person: Person
    csrf: str
    has_cookie: bool
    gate: Gate
    is_local: bool = False


def visitor_of(request: Request) -> Visitor:
    """Find out who is there.

    Raises
    ------
    NotSignedIn
        If the token is missing or wrong, or the browser is not signed in.
    NotAllowedError
        If the request changes something and may come from another site.
    """
    gates = served_by(request).gates
    refuse_other_sites(request)
    visitor = _from_token(request, gates) or _from_cookie(request, gates)
    if visitor is None:
        raise NotSignedIn(_how_to_get_in(gates))
    request.state.who = visitor.person.name  # for the access log
    check_api(request, visitor)
    return visitor


Here = Annotated[Visitor, Depends(visitor_of)]


def owner_of(here: Here) -> Visitor:
    """Refuse whoever is no owner, before anything of the body is read.

    Raises
    ------
    NotAllowedError
        If somebody else is there.
    """
    if not here.person.is_owner:
        raise NotAllowedError("only an owner of the study may do this")
    return here


OwnerHere = Annotated[Visitor, Depends(owner_of)]


def check_api(request: Request, visitor: Visitor) -> None:
    """Refuse a change by a browser over the API that another page may have sent."""
    if visitor.has_cookie and request.method not in _SAFE and path_of(request).startswith("/api/"):
        check_form(request, visitor, None)


def reader_of(request: Request, here: Here) -> Visitor:
    """Refuse whoever must not see the answers of others: annotators, while rows are asked of a second one.

    Raises
    ------
    NotAllowedError
        If that is so.
    """
    if not sees_all(request, here.person):
        raise NotAllowedError(
            "rows of this study are answered by two annotators who must not see each other's answers, so only an owner "
            "may have all of them"
        )
    return here


ReaderHere = Annotated[Visitor, Depends(reader_of)]


def sees_all(request: Request, who: Person) -> bool:
    """Whether somebody may see what others answered."""
    return who.is_owner or not service_of(request).engine.settings.overlap


def check_form(request: Request, visitor: Visitor, field: str | None) -> None:
    """Refuse a form that was not made for this visitor."""
    said = request.headers.get(CSRF_HEADER) or field or ""
    if not hmac.compare_digest(said.encode("utf-8", "replace"), visitor.csrf.encode()):
        raise NotAllowedError(
            "the form is too old, or was not sent by this page, so nothing was changed: load the page again"
        )


def refuse_other_sites(request: Request) -> None:
    """Refuse changes that the browser says were started by another site."""
    if request.method in _SAFE:
        return
    origin = request.headers.get("origin")
    foreign = origin is not None and urlsplit(origin).netloc != request.headers.get("host", "")
    if foreign or request.headers.get("sec-fetch-site") in ("cross-site", "same-site"):
        raise NotAllowedError("the request came from another site, so nothing was changed")


def sign_in(request: Request, response: Response, token: str) -> Person:
    """Give the browser a cookie if the token is right."""
    for gate in served_by(request).gates:
        if (found := find_annotator(gate.storage.annotators(), token)) is not None:
            give_cookie(request, response, gate, found.name)
            return Person(found.name, found.role)
    raise NotSignedIn("this token is not known here: copy it whole, or ask the owner of the study for a new one")


def enter(request: Request) -> Response:
    """Let a browser in that was given the address from the terminal, and send it on to the address without secret."""
    gates = served_by(request).gates
    response = RedirectResponse(f"{root_of(request)}/", 303)
    opened = next((gate for gate in gates if gate.is_open), None)
    if opened is None or _from_cookie(request, gates) is not None:
        return response
    if not opened.door.let_in(request.query_params[PARAMETER]):
        raise NotSignedIn(
            "this address is not valid any more, since it lets one browser in, once: open the one that activefs serve "
            "showed last on its terminal"
        )
    # Lax: the address may be opened from a terminal that is itself a page, of another site.
    give_cookie(request, response, opened, whoami(), same_site="lax")
    return response


def sign_out(request: Request, response: Response, gate: Gate) -> None:
    """Take a cookie back, here and in the browser."""
    name, path = _cookie(request, gate)
    if secret := request.cookies.get(name):
        gate.storage.remove_sign_in(digest_of(secret))
    response.delete_cookie(name, path=path, secure=_is_secure(request), httponly=True, samesite="strict")


def is_open(service: Served) -> bool:
    """Whether nobody has a token yet, on a server for this machine only."""
    return any(gate.is_open for gate in service.gates)


def whoami() -> str:
    """Name of the account that the server runs in."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "local"


def give_cookie(
    request: Request,
    response: Response,
    gate: Gate,
    whose: str,
    same_site: Literal["strict", "lax"] = "strict",
) -> str:
    """Sign a browser in; returns what its forms must carry."""
    kept, secret = new_sign_in(whose)
    gate.storage.add_sign_in(kept)
    name, path = _cookie(request, gate)
    seconds = int(SIGNED_IN.total_seconds())
    secure = _is_secure(request)
    response.set_cookie(name, secret, max_age=seconds, path=path, secure=secure, httponly=True, samesite=same_site)
    return _derived(secret)


def visitor_at(request: Request, gate: Gate) -> Visitor | None:
    """Find out whether the browser is signed in at a gate."""
    secret = request.cookies.get(_cookie(request, gate)[0])
    if not secret:
        return None
    found = gate.storage.find_sign_in(digest_of(secret))
    if found is None or found.expires <= datetime.now(UTC):
        return None
    if gate.is_open:  # whoever had a token and was removed has no sign-in any more
        return Visitor(Person(whoami(), Role.OWNER), _derived(secret), has_cookie=True, is_local=True, gate=gate)
    role = next((a.role for a in gate.storage.annotators() if a.name == found.annotator), None)
    if role is None:
        return None
    return Visitor(Person(found.annotator, role), _derived(secret), has_cookie=True, gate=gate)


def _how_to_get_in(gates: Sequence[Gate]) -> str:
    for gate in gates:
        if gate.is_open:
            return (
                "nobody has a token yet, so open the address with ?start= that activefs serve shows on its terminal; "
                "programs need a token, which the terminal says how to make"
            )
    return "sign in with your personal token; the owner of the study can make one for you"


def _cookie(request: Request, gate: Gate) -> tuple[str, str]:
    """Name and path of a cookie; the beginning of the name lets browsers hold us to what it promises."""
    name, path = gate.cookie, f"{home_of(request)}/"
    if _is_secure(request):
        name = f"__Host-{name}" if path == "/" else f"__Secure-{name}"
    return name, path


def _is_secure(request: Request) -> bool:
    return request.url.scheme == "https"


def _from_token(request: Request, gates: Sequence[Gate]) -> Visitor | None:
    header = request.headers.get("authorization")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    for gate in gates if scheme.lower() == "bearer" else ():
        if (found := find_annotator(gate.storage.annotators(), token)) is not None:
            # A token in a header cannot be sent by a forged form: browsers do not add it by themselves.
            return Visitor(Person(found.name, found.role), "", has_cookie=False, gate=gate)
    raise NotSignedIn("the token is not known here; send the header 'Authorization: Bearer TOKEN'")


def _from_cookie(request: Request, gates: Sequence[Gate]) -> Visitor | None:
    return next((found for gate in gates if (found := visitor_at(request, gate)) is not None), None)


def _derived(secret: str) -> str:
    """Make the token of forms from a secret that forms must not show."""
    return hmac.new(secret.encode("utf-8", "replace"), b"form", hashlib.sha256).hexdigest()
