"""Who is there, and whether the request is theirs: tokens, cookies, forged forms."""

from __future__ import annotations

import getpass
import hashlib
import hmac
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Request, Response

from activefs.exceptions import ActiveFSError, NotAllowedError
from activefs.storages import Role
from activefs.study import SIGNED_IN, Person, digest_of, find_annotator, new_sign_in
from activefs.web._service import Service, path_of, root_of, service_of

COOKIE = "activefs"
CSRF_HEADER = "X-CSRF-Token"
_SAFE = {"GET", "HEAD", "OPTIONS"}


class NotSignedIn(ActiveFSError):  # noqa: N818 - a state, not a fault
    """There is no token, or it is not one of this study."""


@dataclass(frozen=True)
class Visitor:
    """Somebody who may use the study, and the token that their forms must carry."""

    person: Person
    csrf: str
    has_cookie: bool


def visitor_of(request: Request) -> Visitor:
    """Find out who is there.

    Raises
    ------
    NotSignedIn
        If the token is missing or wrong, or the browser is not signed in.
    NotAllowedError
        If the request changes something and may come from another site.
    """
    service = service_of(request)
    refuse_other_sites(request)
    visitor = _from_token(request, service) or _from_cookie(request, service) or _from_this_machine(request, service)
    if visitor is None:
        raise NotSignedIn("sign in with your personal token; the owner of the study can make one for you")
    if visitor.has_cookie and request.method not in _SAFE and path_of(request).startswith("/api/"):
        check_form(request, visitor, None)
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
    service = service_of(request)
    annotator = find_annotator(service.engine.storage.annotators(), token)
    if annotator is None:
        raise NotSignedIn("this token is not known here: copy it whole, or ask the owner of the study for a new one")
    kept, secret = new_sign_in(annotator.name)
    service.engine.storage.add_sign_in(kept)
    response.set_cookie(
        COOKIE,
        secret,
        max_age=int(SIGNED_IN.total_seconds()),
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
        path=f"{root_of(request)}/",
    )
    return Person(annotator.name, annotator.role)


def sign_out(request: Request, response: Response) -> None:
    """Take the cookie back, here and in the browser."""
    secret = request.cookies.get(COOKIE)
    if secret:
        service_of(request).engine.storage.remove_sign_in(digest_of(secret))
    response.delete_cookie(COOKIE, path=f"{root_of(request)}/", httponly=True, samesite="strict")


def needs_token(service: Service) -> bool:
    """Whether people must sign in: always, but on a server for this machine only that has no annotators yet."""
    return not service.local_only or bool(service.engine.storage.annotators())


def _from_token(request: Request, service: Service) -> Visitor | None:
    header = request.headers.get("authorization")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    found = find_annotator(service.engine.storage.annotators(), token) if scheme.lower() == "bearer" else None
    if found is None:
        raise NotSignedIn("the token is not known here; send the header 'Authorization: Bearer TOKEN'")
    # A token in a header cannot be sent by a forged form: browsers do not add it by themselves.
    return Visitor(Person(found.name, found.role), "", has_cookie=False)


def _from_cookie(request: Request, service: Service) -> Visitor | None:
    secret = request.cookies.get(COOKIE)
    if not secret:
        return None
    found = service.engine.storage.find_sign_in(digest_of(secret))
    if found is None or found.expires <= datetime.now(UTC):
        return None
    role = next((a.role for a in service.engine.storage.annotators() if a.name == found.annotator), None)
    if role is None:
        return None
    return Visitor(Person(found.annotator, role), _derived(secret), has_cookie=True)


def _from_this_machine(request: Request, service: Service) -> Visitor | None:
    if needs_token(service):
        return None
    try:
        name = getpass.getuser()
    except (OSError, KeyError, ImportError):
        name = "local"
    return Visitor(Person(name, Role.OWNER), _derived(service.secret), has_cookie=False)


def _derived(secret: str) -> str:
    """Make the token of forms from a secret that forms must not show."""
    return hmac.new(secret.encode("utf-8", "replace"), b"form", hashlib.sha256).hexdigest()
