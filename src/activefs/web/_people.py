"""Inviting people to a study or a server, and sending them away."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from fastapi import Request, Response

from activefs.exceptions import InvalidInputError, NotAllowedError
from activefs.storages import Role
from activefs.study import Person, join_link, new_annotator
from activefs.web import _security as security
from activefs.web._gate import Gate
from activefs.web._security import Visitor
from activefs.web._service import root_of


@dataclass(frozen=True)
class Invitation:
    """What somebody needs to sign in; it is shown once.

    Attributes
    ----------
    name, role : str, Role
        Who is invited.
    token : str
        What they sign in with.
    link : str
        An address with the token in its fragment, which browsers do not send.
    replaced : bool
        Whether they had another token, which works no more.
    """

    name: str
    role: Role
    token: str
    link: str
    replaced: bool


def invite(
    request: Request, gate: Gate, here: Visitor, name: str, role: Role, taken: Collection[str] = ()
) -> Invitation:
    """Give somebody a token.

    Raises
    ------
    InvalidInputError
        If the name is that of whoever invites, or of somebody who may do more elsewhere (`taken`), or if it is the
        first token and would leave nobody who owns what it is for.
    """
    name = name.strip()
    annotator, token = new_annotator(name, role)
    if gate.is_open and role is not Role.OWNER:
        raise InvalidInputError(
            "from the first token on everybody needs one, you too: invite yourself as an owner first, then others"
        )
    if name == here.person.name and not here.is_local:
        raise InvalidInputError("this is your own name, and a new token would sign you out: choose another name")
    if name in taken:
        raise InvalidInputError(f"{name!r} owns this server, and so this study: choose another name")
    link = join_link(f"{request.url.scheme}://{request.url.netloc}{root_of(request)}", token)
    replaced = any(a.name == name for a in gate.storage.annotators())
    gate.storage.add_annotator(annotator)
    return Invitation(name, role, token, link, replaced)


def remove(gate: Gate, here: Visitor, name: str) -> None:
    """Take somebody's token away.

    Raises
    ------
    NotAllowedError
        If it is one's own.
    InvalidInputError
        If there is nobody of this name.
    """
    if here.gate is gate and name == here.person.name:
        raise NotAllowedError("you cannot send yourself away; another owner can")
    if not gate.storage.remove_annotator(name):
        raise InvalidInputError(f"there is nobody called {name[:80]!r} any more")


def sign_in_again(request: Request, response: Response, here: Visitor, gate: Gate, name: str) -> Visitor:
    """Sign a browser in that was let in without a token, as the owner whose token is the first."""
    csrf = security.give_cookie(request, response, gate, name)
    return replace(here, person=Person(name, Role.OWNER), csrf=csrf, is_local=False)
