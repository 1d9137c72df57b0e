"""What the REST API takes and gives."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import (
    AllowInfNan,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    StringConstraints,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic_core import PydanticCustomError

from activefs.study import ReviewKind
from activefs.web._advice import PREFIX


def _in_one_sentence(otherwise: str) -> WrapValidator:
    """Say what a label may be, instead of what each of the types has against it."""
    said = f"must be text of 1 to 200 characters, a finite number, true or false; {otherwise}"

    def check(value: Any, inner: ValidatorFunctionWrapHandler) -> Any:
        try:
            return inner(value)
        except ValidationError:
            raise PydanticCustomError("label", said) from None

    return WrapValidator(check)


_Label = (
    StrictBool
    | StrictInt
    | Annotated[StrictFloat, AllowInfNan(False)]
    | Annotated[StrictStr, StringConstraints(min_length=1, max_length=200)]
)
LabelOut = bool | int | float | str
RowName = int | float | str
_MAX = 2**53


class Strict(BaseModel):
    """A body that is what the description says: a misspelt field or a number as text is an error, not a surprise."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Problem(BaseModel):
    """What went wrong."""

    status: int
    title: str
    message: str = Field(description="A sentence that says what happened and what to do.")


class Me(BaseModel):
    """Who you are."""

    name: str
    role: str


class Cell(BaseModel):
    """A column of a row, as it is shown."""

    column: str
    value: str


class Medium(BaseModel):
    """An image, a sound or a video that belongs to a row."""

    column: str
    name: str = Field(description="What the column holds: an address, or the name of a file.")
    kind: Literal["image", "audio", "video"] | None = Field(description="null if it cannot be shown.")
    url: str | None = Field(description="Where it is; null if it cannot be shown.")
    problem: str = Field(default="", description="Why it cannot be shown.")


class ClassChoice(BaseModel):
    """A class, the keys that stand for it on the page, and how often it was given."""

    label: LabelOut
    keys: list[str]
    count: int | None = None
    description: str = Field(default="", description="What the class means, if the study says so.")


class QuestionOut(BaseModel):
    """A row that is leased to you."""

    id: int = Field(description="Number of the question, to be sent with the answer.")
    row: RowName
    until: datetime = Field(description="End of the lease: after that somebody else may get the row.")
    text: str | None
    image: str | None = Field(description="A PNG as a data: URL.")
    cells: list[Cell]
    media: list[Medium]
    hidden_columns: int


class LeaseOut(BaseModel):
    """How long a question is yours."""

    question: int
    until: datetime
    seconds: float = Field(description="Until then, by the clock of the server.")
    lease: float = Field(description="Seconds of a whole lease.")


class QuestionsOut(BaseModel):
    """The questions that you hold, or why there is none."""

    questions: list[QuestionOut]
    classes: list[ClassChoice]
    free_text: bool = Field(description="Whether labels other than the classes are welcome.")
    label_edges: list[float] | None = Field(
        None,
        description="If labels are numbers: the edges between their classes; an edge belongs to the class above it.",
    )
    finished: bool
    reason: str
    hold: int = Field(description="How many rows one annotator may hold at a time.")


class QuestionsIn(Strict):
    """How many questions you want to hold; you get at most as many as the study lets one annotator hold."""

    count: int = Field(1, ge=1, le=100)


class AnswerIn(Strict):
    """An answer to a question."""

    question: int = Field(ge=1, le=_MAX)
    label: Annotated[
        _Label,
        _in_one_sentence(f"for a row that cannot be labelled, send the question to POST {PREFIX}/skips instead"),
    ]
    note: str | None = Field(None, max_length=2000, description="What others should know about this answer.")
    flag: bool = Field(False, description="Whether somebody should look at this answer.")
    next: bool = Field(False, description="Whether to lease the next question with the same request.")


class SkipIn(Strict):
    """'Cannot tell' as the answer to a question."""

    question: int = Field(ge=1, le=_MAX)
    note: str | None = Field(None, max_length=2000, description="Why it cannot be told.")
    flag: bool = Field(False, description="Whether somebody should look at it.")
    next: bool = False


class UndoIn(Strict):
    """Which answer to take back: the last of yours, or that of a row."""

    row: RowName | None = None


class CorrectionIn(Strict):
    """Another label for a row that has been answered."""

    row: RowName
    label: Annotated[_Label, _in_one_sentence(f"an answer is taken back with POST {PREFIX}/undo")]


class ClassProbabilityOut(BaseModel):
    """A class, and how probable it is."""

    label: LabelOut
    probability: float


class CorrectionOut(BaseModel):
    """What an answer was before it was corrected, and who corrected it when."""

    label: LabelOut | None = Field(description="The first answer; null if the row had been skipped.")
    annotator: str
    time: datetime


class AnswerOut(BaseModel):
    """A label or a skip that is in the study."""

    id: int
    row: RowName
    label: LabelOut | None = Field(description="What was said.")
    class_label: LabelOut | None = Field(description="The class that it counts as: of a number, its range.")
    skipped: bool
    annotator: str
    time: datetime
    corrected: bool
    correction: CorrectionOut | None = None
    note: str = ""
    flagged: bool = Field(False, description="Whether the annotator wants somebody to look at it.")
    second: bool = Field(False, description="Whether it is the answer of a second annotator to the same row.")


class DisagreementOut(BaseModel):
    """A row with two different answers, which an owner is to settle."""

    row: RowName
    answers: list[AnswerOut]
    probabilities: list[ClassProbabilityOut] = Field(description="What the row counts with until then.")


class SettlementIn(Strict):
    """What an owner decides about a row that two annotators answered."""

    row: RowName
    label: Annotated[_Label, _in_one_sentence("it is the class that the row is to count with")]


class AnswersWanted(BaseModel):
    """Which answers to list."""

    model_config = ConfigDict(extra="forbid")

    annotator: str | None = Field(None, max_length=200, description="Only answers of this annotator.")
    label: str | None = Field(None, max_length=200, description="Only answers of this class.")
    kind: ReviewKind | None = Field(
        None, description="Only those; disagreed: another annotator said something else about the row."
    )
    row: str | None = Field(None, max_length=200, description="Only rows with this in their id.")
    limit: int = Field(1000, ge=1, le=100_000, description="Only so many, the latest ones.")


class AnsweredOut(BaseModel):
    """An answer that is safe, and the next question if it was wanted."""

    answer: AnswerOut
    next: QuestionsOut | None = None


class RankedFeatureOut(BaseModel):
    """One of the chosen features."""

    rank: int
    feature: str
    score: float
    lower: float
    upper: float
    chance: float = Field(description="The score that chance alone would give.")
    above_chance: bool = Field(description="Whether the score is above what chance may give.")
    probability: float | None = Field(description="Believed probability that it belongs to the true top k.")
    contested: bool = Field(
        description="Whether it could still change places with a feature outside the top k, within the intervals."
    )
    challengers: int = Field(description="Features outside the top k that could take places in it; 0 if not contested.")
    strongest_challenger: str = Field(description="The first of them; empty if there is none.")
    values: list[str]


class SpotOut(BaseModel):
    """A chosen pixel."""

    rank: int
    row: int
    column: int
    contested: bool


class PixelsOut(BaseModel):
    """Where the chosen features are, if the columns are the pixels of an image."""

    height: int
    width: int
    mean: str = Field(description="The mean image of all rows, a PNG as a data: URL.")
    spots: list[SpotOut]


class AnnotatorProgressOut(BaseModel):
    """How much one annotator did."""

    name: str
    labels: int
    skipped: int
    open: int
    labels_per_day: float | None = Field(description="On days on which they labelled; null without labels.")
    seconds_per_row: float | None = Field(description="Median from question to answer; null if nothing was asked.")
    compared: int = Field(description="Rows that somebody else answered as well.")
    agreed: int = Field(description="Those of them with the same answer.")


class AgreementOut(BaseModel):
    """How far annotators agree on rows that two of them answered."""

    sentence: str
    coefficient: str = Field(description="Cohen's kappa for two annotators, Krippendorff's alpha for more.")
    value: float | None = Field(description="null if it cannot be computed: no such rows, or answers of one class.")
    lower: float | None = Field(description="95% bootstrap interval.")
    upper: float | None
    n_rows: int
    n_agreed: int


class TimeLeftOut(BaseModel):
    """How long the study will take."""

    sentence: str
    answers: int = Field(description="Answers to go, those of second annotators included.")
    seconds: float | None = Field(description="Work that these are.")
    days: float | None = Field(description="Days of work, at the pace of the last ones.")


class LeftOutOut(BaseModel):
    """A column that is no feature although nobody asked for that."""

    name: str
    why: str


class ModelCheckOut(BaseModel):
    """How good the model is on labelled rows, each predicted without its own label."""

    sentence: str
    rows: int
    drawn: bool = Field(description="Whether all of these rows were drawn at random.")
    accuracy: float | None = Field(description="Share of rows predicted right; null if there are too few to say.")
    lower: float | None
    upper: float | None
    expected: float | None = Field(description="How often the model itself expects to be right.")
    excess: float | None = Field(description="By how much it is surer of itself than right.")
    excess_lower: float | None
    excess_upper: float | None


class GapOut(BaseModel):
    """What the chosen features lack, after so many labels."""

    labels: int
    gap: float


class ForecastOut(BaseModel):
    """When the chosen features are expected to lack little against the best ones."""

    sentence: str
    state: str = Field(description="there, ahead, beyond (the rows that are left), far, unclear or unknown.")
    labels: int
    gap: float | None = Field(description="The expected gap now.")
    target: float | None = Field(description="The gap that is little enough.")
    more: int | None = Field(description="Labels to go, about.")
    least: int | None
    most: int | None
    line: list[GapOut] = Field(description="What is foreseen of the gap, to be drawn.")
    unit: str


class CurvePointOut(BaseModel):
    """The first so many features: what the last of them tells alone, and what they tell together."""

    n_features: int
    feature: str
    chosen: bool
    alone: float
    alone_lower: float
    alone_upper: float
    together: float | None = Field(description="In nats; null if there are too few labels to say.")
    together_lower: float | None
    together_upper: float | None
    percent: float | None = Field(description="Of what all columns tell; null if that is not known.")
    percent_lower: float | None
    percent_upper: float | None


class CurveOut(BaseModel):
    """How many features are needed: what 1 to 2k of them tell."""

    sentence: str
    note: str = Field(description="Why nothing is said about features together; empty if something is.")
    k: int
    unit: str = Field(description="Of what a feature tells alone; together is always in nats.")
    labels: int
    rows: str = Field(description="On which rows it was measured.")
    all_columns: float | None = Field(description="What all columns tell, in nats.")
    by: str = Field(description="Which model makes most of all columns.")
    points: list[CurvePointOut]


class StudyOut(BaseModel):
    """Where the study stands."""

    title: str
    question: str
    created: datetime
    strategy: str
    criterion: str
    k: int
    rows: int
    features: int
    labels: int
    budget: float | None
    cost: float | None = Field(description="What the labels cost together, if they have a price.")
    skipped: int
    open: int
    paused: bool = Field(description="Whether nobody gets new rows.")
    archived: bool = Field(description="Whether nothing can be changed.")
    certified: bool = Field(
        description="Whether the features are guaranteed to be the best, at the study's confidence."
    )
    guaranteed_gap: float | None = Field(
        description="What the features lack at most against the best ones: guaranteed; null if nothing is."
    )
    settled: bool = Field(description="Whether the rule of the paper would stop; no guarantee.")
    believed: str = Field(description="With which probability intervals of the model are believed to hold.")
    guarantee: str = Field(description="What is guaranteed, in words.")
    sure: str = Field(description="How far the choice can be trusted, in a few words.")
    arbitrary: str = Field(description="Why no features are listed: any ranking would be arbitrary; else empty.")
    contest: str = Field(description="How many features could still change places, in words.")
    unit: str = Field(description="Of scores; empty if they have none.")
    model_check: ModelCheckOut | None = Field(description="null if features are judged without a model.")
    finished: str = Field(description="Why there are no more questions; empty if there are.")
    caution: str
    classes: list[ClassChoice]
    selection: list[RankedFeatureOut]
    left_out: list[LeftOutOut]
    pixels: PixelsOut | None
    annotators: list[AnnotatorProgressOut]
    agreement: AgreementOut | None = Field(description="null if no row is asked of a second annotator.")
    disagreements: int = Field(description="Rows with two different answers, which an owner is to settle.")
    awaiting_second: int = Field(description="Rows that await a second annotator.")
    time_left: TimeLeftOut | None = Field(description="null if nobody can say.")
    last_event: int


class PointOut(BaseModel):
    """After so many labels: how many of today's top k were there already, how many features were contested."""

    labels: int
    settled: int
    contested: int = Field(description="Features that could have changed places: chosen ones, and as many others.")
    expected_gap: float | None = Field(
        description="What the chosen features were expected to lack, if a model says so."
    )


class ImportedOut(BaseModel):
    """How many labels were new, and how many the file had."""

    new: int
    total: int
