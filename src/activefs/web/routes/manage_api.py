"""The REST API of a study's owners: people, and whether the study goes on."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request

from activefs.storages import Role
from activefs.web._advice import PREFIX
from activefs.web._manage_models import NOBODY, InvitationIn, InvitationOut, PersonOut, StateOut
from activefs.web._people import invite
from activefs.web._security import OwnerHere
from activefs.web._service import Service, service_here
from activefs.web.routes.api import BEARER, PROBLEMS
from activefs.web.routes.manage import Move, apply_move, owners_of_server, remove_from

router = APIRouter(prefix=PREFIX, responses=PROBLEMS, dependencies=[Depends(BEARER)])
On = Annotated[Service, Depends(service_here)]


@router.get("/annotators")
def annotators(here: OwnerHere, on: On) -> list[PersonOut]:
    """List who has a token of this study (owners only)."""
    return [PersonOut.of(annotator) for annotator in on.gates[0].storage.annotators()]


@router.post("/annotators", status_code=201)
def add_annotator(request: Request, here: OwnerHere, on: On, said: InvitationIn) -> InvitationOut:
    """Give somebody a token, which is told only now; a name that exists gets a new one (owners only)."""
    made = invite(request, on.gates[0], here, said.name, Role(said.role), owners_of_server(on))
    return InvitationOut.of(made)


@router.delete("/annotators/{name:path}", status_code=204, responses=NOBODY)
def remove_annotator(here: OwnerHere, on: On, name: str) -> None:
    """Take somebody's token away; their answers stay (owners only)."""
    remove_from(on, here, name)


@router.post("/state/{move}")
def change_state(here: OwnerHere, on: On, move: Move) -> StateOut:
    """Pause the study or go on, archive it or take it out of the archive (owners only)."""
    apply_move(on.engine, here.person, move)
    with on.engine.reading() as state:
        return StateOut(paused=state.paused, archived=state.archived)
