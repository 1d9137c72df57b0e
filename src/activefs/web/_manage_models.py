"""What the API of owners takes and gives."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from activefs.storages import Annotator, Role
from activefs.web._models import Problem, Strict
from activefs.web._people import Invitation

NOBODY: dict[int | str, dict[str, Any]] = {404: {"model": Problem, "description": "Nobody can have such a name."}}
"""The answer to names that are more than a line."""


class PersonOut(BaseModel):
    """Somebody with a token."""

    name: str
    role: Role
    since: datetime

    @classmethod
    def of(cls, annotator: Annotator) -> PersonOut:
        """Describe somebody."""
        return cls(name=annotator.name, role=annotator.role, since=annotator.created)


class InvitationIn(Strict):
    """Whom to give a token."""

    name: str = Field(min_length=1, max_length=200)
    role: Literal["annotator", "owner"] = "annotator"


class OwnerIn(Strict):
    """Whom to give a token of an owner of all studies."""

    name: str = Field(min_length=1, max_length=200)


class InvitationOut(BaseModel):
    """A token, which is told only now."""

    name: str
    role: Role
    token: str
    link: str = Field(description="Address that signs in; the token is in its fragment, which browsers do not send.")

    @classmethod
    def of(cls, made: Invitation) -> InvitationOut:
        """Describe an invitation."""
        return cls(name=made.name, role=made.role, token=made.token, link=made.link)


class StateOut(BaseModel):
    """Whether the study goes on."""

    paused: bool
    archived: bool
