"""What the API of a server of several studies takes and gives."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from activefs.study import MOST_TEXT
from activefs.tables import Dialect
from activefs.web._hub_service import State, StudyLine
from activefs.web._models import Strict
from activefs.web._uploads import Upload


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


class ColumnOut(BaseModel):
    """How a column of a table is read."""

    name: str
    kind: str
    use: Literal["feature", "left out", "unusable"] = Field(description="What it is, unless something else is said.")
    why: str = Field(description="Why it is no feature; empty if it is one.")
    n_values: int = Field(description="Values that the feature has, or ranges of numbers.")
    binned: bool
    values: list[str] = Field(description="The first few of them.")
    missing: int = Field(description="Rows without a value.")


class HowRead(Strict):
    """How the file of a table is written: as for `activefs study create`; what is null is found out."""

    sep: str | None = Field(None, max_length=20, description="What is between columns: a character, comma, tab, ...")
    decimal: str | None = Field(None, max_length=20, description="The decimal sign, a point or a comma.")
    encoding: str | None = Field(None, max_length=100, description="Name of the encoding, such as cp1252.")
    sheet: str | None = Field(None, max_length=1000, description="The sheet of an Excel file.")

    @property
    def dialect(self) -> Dialect:
        """What was said, checked."""
        return Dialect.checked(sep=self.sep, decimal=self.decimal, encoding=self.encoding, sheet=self.sheet)


class UploadQuery(HowRead):
    """What is said about a table that is sent."""

    name: str = Field(min_length=1, max_length=255, description="Name of the file; its end says of which kind it is.")


class UploadOut(BaseModel):
    """A table that was sent, and how it is read."""

    id: str
    name: str
    sent: datetime
    rows: int
    columns: list[ColumnOut] = Field(description="Of a wide table, the first.")
    n_columns: int
    notes: list[str] = Field(description="What people should know about the table.")
    head: list[list[str]] = Field(description="The first rows.")
    read_with: HowRead = Field(description="How the file is written, whether that was said or found out.")
    sheets: list[str] = Field(description="Sheets of an Excel file that hold something.")

    @classmethod
    def of(cls, upload: Upload) -> UploadOut:
        """Describe a table."""
        content: dict[str, Any] = upload.preview.to_json()
        return cls(
            id=upload.id,
            name=upload.name,
            sent=upload.sent,
            rows=content["n_rows"],
            n_columns=content["n_columns"],
            columns=[ColumnOut(**column) for column in content["columns"]],
            notes=content["notes"],
            head=content["head"],
            read_with=HowRead(**content["dialect"]),
            sheets=content["sheets"],
        )


_Name = Annotated[str, Field(max_length=1000)]
_Names = list[_Name]


class NewStudyIn(Strict):
    """What is to be made of a table that was sent; the settings are those of `activefs study create`."""

    upload: str = Field(max_length=100, description="The table, as POST /api/v1/uploads named it.")
    name: str = Field(max_length=100, description="Name in addresses: a to z, 0 to 9, '-' and '_'.")
    k: int = Field(ge=1, le=1_000_000)
    budget: int | None = Field(None, ge=1, le=1_000_000_000)
    title: str | None = Field(None, max_length=1000)
    question: str | None = Field(None, max_length=1000)
    id_column: _Name | None = None
    classes: _Names | None = None
    label_edges: list[float] | None = Field(None, max_length=1000)
    show: _Names | None = None
    show_text: _Name | None = None
    show_media: _Names | None = Field(None, description="Columns of images, sound or videos.")
    instructions: str | None = Field(
        None, max_length=MOST_TEXT, description="What annotators should know, in Markdown."
    )
    class_descriptions: dict[_Name, _Name] | None = Field(None, description="What a class means, by class.")
    overlap: float | None = Field(None, ge=0, le=1, description="Share of rows that a second annotator answers.")
    hold: int | None = Field(None, ge=1, le=1000, description="Rows that one annotator may hold over the API.")
    ignore: _Names = Field([])
    categorical: _Names = Field([])
    missing: Literal["error", "value"] | None = None


class MadeOut(BaseModel):
    """A study that was made."""

    name: str = Field(description="The study is at /s/NAME/, its API at /s/NAME/api/v1.")
