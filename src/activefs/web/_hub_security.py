"""Who is at the page that lists all studies: an owner of the server, or people of some of its studies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request, Response

from activefs.exceptions import NotAllowedError
from activefs.study import Person, find_annotator
from activefs.web import _security as security
from activefs.web._hub_service import HubService, hub_of
from activefs.web._security import NotSignedIn, Visitor


@dataclass(frozen=True)
class AtHub:
    """Somebody at the list of studies.

    Attributes
    ----------
    here : Visitor
        Who is there; of those who are signed in at several studies, whoever is at the first.
    studies : set of str or None
        The studies that they may see; None if that is all of them, since they own the server.
    """

    here: Visitor
    studies: frozenset[str] | None

    @property
    def is_owner(self) -> bool:
        """Whether they own the server."""
        return self.studies is None


def at_hub(request: Request) -> AtHub:
    """Find out who is there.

    Raises
    ------
    NotSignedIn
        If nobody is.
    """
    try:
        return AtHub(security.visitor_of(request), None)
    except NotSignedIn:
        found = _in_studies(request, hub_of(request))
        if not found:
            raise
    first = next(iter(found.values()))
    security.check_api(request, first)
    return AtHub(first, frozenset(found))


AtHubHere = Annotated[AtHub, Depends(at_hub)]


def owner_at_hub(here: AtHubHere) -> Visitor:
    """Refuse whoever does not own the server, before anything of the body is read.

    Raises
    ------
    NotAllowedError
        If somebody else is there.
    """
    if not here.is_owner:
        raise NotAllowedError("only an owner of the server may do this; see activefs server owner add")
    return here.here


HubOwner = Annotated[Visitor, Depends(owner_at_hub)]


def sign_in(request: Request, response: Response, token: str) -> str | None:
    """Give the browser cookies for what a token opens; returns the name of the study if it is only one."""
    try:
        security.sign_in(request, response, token)
    except NotSignedIn:
        opened = []
        for entry, gate in hub_of(request).usable() if token.strip() else ():
            if (found := find_annotator(gate.storage.annotators(), token)) is not None:
                security.give_cookie(request, response, gate, found.name)
                opened.append(entry.name)
        if not opened:
            raise
        return opened[0] if len(opened) == 1 else None
    return None


def sign_out(request: Request, response: Response) -> None:
    """Take all cookies back."""
    hub = hub_of(request)
    gates = [hub.gate, *(gate for _, gate in hub.usable())]
    for gate in gates:
        if security.visitor_at(request, gate) is not None:
            security.sign_out(request, response, gate)


def _in_studies(request: Request, hub: HubService) -> dict[str, Visitor]:
    """Find the studies in which somebody may work."""
    header = request.headers.get("authorization")
    if header is None and not any("activefs-" in name for name in request.cookies):
        return {}  # nobody opens all studies by looking at the door
    found: dict[str, Visitor] = {}
    for entry, gate in hub.usable():
        if header is None:
            visitor = security.visitor_at(request, gate)
        else:
            known = find_annotator(gate.storage.annotators(), header.partition(" ")[2])
            visitor = None
            if known is not None:
                visitor = Visitor(Person(known.name, known.role), "", has_cookie=False, gate=gate)
        if visitor is not None:
            found[entry.name] = visitor
    return found
