"""What the API of a server of several studies takes and gives."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field

from activefs.web._hub_service import State, StudyLine


class HubMe(BaseModel):
    """Who you are."""

    name: str
    owns_server: bool = Field(description="Whether you own all studies, and may make new ones.")


class StudyLineOut(BaseModel):
    """A study, and where it stands."""

    name: str = Field(description="Its name in addresses: the study is at /s/NAME/, its API at /s/NAME/api/v1.")
    title: str
    labels: int
    budget: float | None = Field(description="Labels that may be asked for; null if that is not limited, or priced.")
    state: State
    last_activity: datetime | None
    problem: str = Field(description="Why it cannot be opened; empty if it can.")

    @classmethod
    def of(cls, line: StudyLine) -> StudyLineOut:
        """Describe a study."""
        return cls(
            name=line.name,
            title=line.title,
            labels=line.labels,
            budget=line.budget,
            state=line.state,
            last_activity=line.last,
            problem=line.problem,
        )
