"""What people and programs see of questions and answers."""

from __future__ import annotations

import base64
import io
from dataclasses import asdict
from typing import Literal

import numpy as np
from fastapi import Request
from PIL import Image

from activefs.codec import text_of
from activefs.engine import Next
from activefs.outlook import Curve, Forecast
from activefs.rendering import words_for
from activefs.storages import Label
from activefs.study import Answer, Person, Question, Status, StudyEngine, TimeLeft, are_typed, class_keys
from activefs.types import UInt8s
from activefs.web._advice import for_the_page
from activefs.web._media import media_out
from activefs.web._models import (
    AgreementOut,
    AnnotatorProgressOut,
    AnswerOut,
    Cell,
    ClassChoice,
    ClassProbabilityOut,
    CorrectionOut,
    CurveOut,
    CurvePointOut,
    DisagreementOut,
    ForecastOut,
    GapOut,
    LeaseOut,
    LeftOutOut,
    ModelCheckOut,
    PixelsOut,
    QuestionOut,
    QuestionsOut,
    RankedFeatureOut,
    SpotOut,
    StudyOut,
    TimeLeftOut,
)
from activefs.web._service import Service, root_of, service_of


def question_out(on: Service, root: str, question: Question) -> QuestionOut:
    """Describe a question."""
    engine, table = on.engine, on.engine.table
    picture = table.image_of(question.row)
    return QuestionOut(
        id=question.id,
        row=engine.names.of(question.row),
        until=question.until,
        text=table.text_of(question.row),
        image=None if picture is None else data_url(picture),
        cells=[Cell(column=name, value=value) for name, value in table.cells(question.row)],
        media=media_out(engine, on.media, root, question.row),
        hidden_columns=max(0, table.n_hidden),
    )


def questions_out(request: Request, who: Person, count: int = 1) -> QuestionsOut:
    """Lease questions until somebody holds `count` of them, or as many as one person may hold."""
    on, root = service_of(request), root_of(request)
    engine = on.engine
    count = min(count, engine.settings.hold)
    held = list(reversed(engine.open_questions(who)))
    end = Next(None)
    while len(held) < count:
        found = engine.ask(who, most=count)
        if isinstance(found, Next):
            end = found
            break
        if found in held:  # another request of the same person was faster
            held = list(reversed(engine.open_questions(who)))
            break
        held.append(found)
    return QuestionsOut(
        questions=[question_out(on, root, q) for q in held[-count:]],
        classes=choices(engine),
        free_text=engine.settings.free_labels,
        label_edges=None if engine.rules.ranges is None else list(engine.rules.ranges.edges),
        finished=end.finished and not held,
        reason=end.reason,
        hold=engine.settings.hold,
    )


def lease_out(engine: StudyEngine, question: Question) -> LeaseOut:
    """Say how long a question belongs to somebody; in seconds too, since clocks differ."""
    left = max(0.0, (question.until - engine.clock()).total_seconds())
    return LeaseOut(question=question.id, until=question.until, seconds=left, lease=engine.settings.lease)


def choices(engine: StudyEngine) -> list[ClassChoice]:
    """List the classes with their keys; where a number is typed, or a class, they have none."""
    classes = engine.classes()
    said = engine.settings.class_descriptions or {}
    typed = how_answered(engine) != "buttons"
    all_keys = [()] * len(classes) if typed else class_keys(classes)
    return [
        ClassChoice(label=c, keys=list(keys), description=said.get(text_of(c), ""))
        for c, keys in zip(classes, all_keys, strict=True)
    ]


def how_answered(engine: StudyEngine) -> Literal["number", "typed", "buttons"]:
    """Say how people answer on the page: they type a number, type a class, or press a button.

    Classes are typed if they are free, or too many to be looked through.
    """
    if engine.rules.ranges is not None:
        return "number"
    return "typed" if engine.settings.free_labels or are_typed(engine.classes()) else "buttons"


def answer_out(engine: StudyEngine, answer: Answer) -> AnswerOut:
    """Describe an answer."""
    return AnswerOut(
        id=answer.id,
        row=engine.names.of(answer.row),
        label=answer.label,
        class_label=None if answer.label is None else answer.told.label,
        skipped=answer.label is None,
        annotator=answer.annotator,
        time=answer.time,
        corrected=answer.corrected,
        correction=None
        if answer.correction is None
        else CorrectionOut(
            label=answer.correction.label, annotator=answer.correction.annotator, time=answer.correction.time
        ),
        note=answer.note,
        flagged=answer.flagged,
        second=answer.second,
    )


def disagreements_out(engine: StudyEngine) -> list[DisagreementOut]:
    """List rows with two different answers that nobody has settled."""
    with engine.reading() as state:
        pairs = state.overlap.disagreements(state.told)
        told = {pair.first.row: state.overlap.told(pair.first, state.told).label for pair in pairs}
    return [
        DisagreementOut(
            row=engine.names.of(pair.first.row),
            answers=[answer_out(engine, pair.first), answer_out(engine, pair.second)],
            probabilities=[ClassProbabilityOut(label=c, probability=p) for c, p in told[pair.first.row].items()],
        )
        for pair in pairs
    ]


def study_out(engine: StudyEngine, status: Status) -> StudyOut:
    """Describe where the study stands."""
    counts: list[tuple[Label, int]] = list(status.classes)
    with engine.reading() as state:
        paused, archived = state.paused, state.archived
    return StudyOut(
        paused=paused,
        archived=archived,
        title=engine.settings.title,
        question=engine.settings.question,
        created=engine.created,
        strategy=engine.settings.strategy,
        criterion=status.criterion,
        k=engine.settings.k,
        rows=status.n_rows,
        features=status.n_features,
        labels=status.n_labels,
        budget=status.budget,
        cost=status.cost,
        skipped=status.n_skipped,
        open=status.n_open,
        certified=status.certified,
        guaranteed_gap=status.selection.guaranteed_gap,
        settled=status.selection.settled,
        guarantee=status.guarantee,
        believed=f"{100 * (1 - engine.settings.delta):g}%",
        sure=status.sure,
        arbitrary=status.arbitrary,
        contest=status.contest,
        unit=words_for(status.criterion).unit,
        model_check=_model_check(status),
        finished=status.finished,
        caution=for_the_page(status.caution),
        classes=[ClassChoice(label=label, keys=[], count=count) for label, count in counts],
        selection=[
            RankedFeatureOut(
                rank=p.rank,
                feature=p.name,
                score=p.score,
                lower=p.lower,
                upper=p.upper,
                chance=p.chance,
                above_chance=p.above_chance,
                probability=p.probability,
                contested=p.contested,
                challengers=p.challengers,
                strongest_challenger=p.strongest,
                values=list(p.values),
            )
            for p in status.places
        ],
        left_out=[LeftOutOut(name=column.name, why=column.why) for column in status.left_out],
        pixels=_pixels(engine, status),
        annotators=[
            AnnotatorProgressOut(skipped=who.skips, **{n: v for n, v in asdict(who).items() if n != "skips"})
            for who in status.annotators
        ],
        agreement=None
        if status.agreement is None
        else AgreementOut(sentence=str(status.agreement), **status.agreement.to_json()),
        disagreements=status.disagreements,
        awaiting_second=status.pace.waiting,
        time_left=time_left_out(status.time_left()),
        last_event=status.last,
    )


def time_left_out(found: TimeLeft | None) -> TimeLeftOut | None:
    """Say how long a study will take."""
    return None if found is None else TimeLeftOut(sentence=str(found), **asdict(found))


def _pixels(engine: StudyEngine, status: Status) -> PixelsOut | None:
    shape = engine.table.image_shape
    if shape is None or not status.places:
        return None
    mean, position = engine.table.mean_image()
    spots = []
    for place in status.places:
        row, column = divmod(position[place.name], shape[1])
        spots.append(SpotOut(rank=place.rank, row=row, column=column, contested=place.contested))
    return PixelsOut(height=shape[0], width=shape[1], mean=data_url(np.round(mean).astype(np.uint8)), spots=spots)


def _model_check(status: Status) -> ModelCheckOut | None:
    found = status.model_check
    if found is None:
        return None
    numbers = {name: value for name, value in found.to_json().items() if name in ModelCheckOut.model_fields}
    return ModelCheckOut(sentence=str(found), rows=found.n_rows, **numbers)


def forecast_out(engine: StudyEngine, found: Forecast) -> ForecastOut:
    """Say when a study will be done."""
    line = [GapOut(labels=labels, gap=gap) for labels, gap in found.line]
    unit = words_for(engine.settings.criterion).unit
    return ForecastOut(**{**found.to_json(), "line": line, "unit": unit})


def curve_out(found: Curve, labels: int) -> CurveOut:
    """Say how many features are needed."""
    content = found.to_json()
    numbers = [name for name in CurvePointOut.model_fields if name in content]
    return CurveOut(
        sentence=found.sentence,
        note=found.note,
        k=found.k,
        unit=words_for(found.criterion).unit,
        labels=labels,
        rows=found.rows,
        all_columns=content["all_columns"][0],
        by=found.by,
        points=[
            CurvePointOut(n_features=i + 1, feature=name, chosen=i < found.k, **{n: content[n][i] for n in numbers})
            for i, name in enumerate(found.names)
        ],
    )


def data_url(picture: UInt8s) -> str:
    """Make a PNG that travels inside the page: the next row needs no second request."""
    out = io.BytesIO()
    Image.fromarray(picture).save(out, format="PNG")
    return "data:image/png;base64," + base64.b64encode(out.getvalue()).decode()
