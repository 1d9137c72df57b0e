"""The page on which answers are looked at, corrected and taken back."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

from fastapi import Request, Response

from activefs.study import OF_OTHERS, REVIEW_KINDS, Answer, Filter, review
from activefs.web._media import media_out, policy_for
from activefs.web._models import AnswerOut, Medium
from activefs.web._rendering import render
from activefs.web._security import Visitor
from activefs.web._service import Service, root_of, service_of
from activefs.web._views import answer_out, choices, data_url, how_answered
from activefs.web._work import NewClassDoubt

_ON_A_SHEET = 50
_MOST_SHEETS = 1_000_000
_CELLS = 6
"""Columns of a row that are shown at once; the others are a click away."""
KIND_NAMES = {
    "labelled": "with a class",
    "skipped": "cannot tell",
    "corrected": "corrected",
    "flagged": "flagged",
    "noted": "with a note",
    "disagreed": "disagreed",
    "unsettled": "to be settled",
}


@dataclass(frozen=True)
class Place:
    """Where somebody is among the answers: what is wanted, and which sheet of it."""

    wanted: Filter = field(default_factory=Filter)
    sheet: int = 1

    @classmethod
    def of(cls, query: str) -> Place:
        """Read it from an address; what means nothing there is left out."""
        given = dict(parse_qsl(query.removeprefix("?")[:4000]))
        kind = given.get("kind")
        sheet = given.get("sheet", "")
        wanted = Filter(
            label=given.get("label", "")[:200] or None,
            annotator=given.get("annotator", "")[:200] or None,
            kind=next((known for known in REVIEW_KINDS if known == kind), None),
            row=given.get("row", "")[:200].strip() or None,
        )
        return cls(wanted, min(max(1, int(sheet)), _MOST_SHEETS) if sheet.isdecimal() and len(sheet) < 9 else 1)

    def query(self, sheet: int | None = None) -> str:
        """Write it as the end of an address."""
        said = {name: value for name, value in asdict(self.wanted).items() if value}
        at = self.sheet if sheet is None else sheet
        return urlencode({**said, **({"sheet": at} if at > 1 else {})})


@dataclass(frozen=True)
class Reviewed:
    """An answer, the row that it is about, and what others said about the row."""

    answer: AnswerOut
    text: str | None
    image: str | None
    media: list[Medium]
    cells: list[tuple[str, str]]
    more_cells: list[tuple[str, str]]
    other: AnswerOut | None
    agrees: bool
    decided: Any


def review_page(
    request: Request,
    here: Visitor,
    place: Place,
    notice: str = "",
    status: int = 200,
    *,
    doubt: NewClassDoubt | None = None,
) -> Response:
    """List answers, with the rows that they are about: one's own, or as an owner those of all."""
    on = service_of(request)
    engine, person = on.engine, here.person
    if not person.is_owner:
        kind = None if place.wanted.kind in OF_OTHERS else place.wanted.kind  # it would tell what others said
        place = replace(place, wanted=replace(place.wanted, annotator=None, kind=kind))
    found = review(engine, place.wanted if person.is_owner else replace(place.wanted, annotator=person.name))
    sheets = max(1, -(-len(found) // _ON_A_SHEET))
    place = Place(place.wanted, min(place.sheet, sheets))
    first = (place.sheet - 1) * _ON_A_SHEET
    with engine.reading() as state:
        annotators = sorted({answer.annotator for answer in state.answers()}) if person.is_owner else []
        twice = bool(state.overlap.answers) or bool(engine.settings.overlap)
    kinds = [kind for kind in REVIEW_KINDS if kind not in OF_OTHERS or (twice and person.is_owner)]
    view: dict[str, Any] = {
        "answers": _reviewed(on, root_of(request), found[first : first + _ON_A_SHEET], sees_others=person.is_owner),
        "classes": choices(engine),
        "how": how_answered(engine),
        "total": len(found),
        "wanted": place.wanted,
        "place": place,
        "sheets": sheets,
        "annotators": annotators,
        "kinds": [(kind, KIND_NAMES[kind]) for kind in kinds],
        "notice": notice,
        "failed": status >= 400,
        "doubt": doubt,
        "free_text": engine.settings.free_labels,
    }
    template = "_review.html" if "HX-Request" in request.headers else "answers.html"
    page = render(request, template, here, status=status, **view)
    page.headers.update(policy_for(engine))
    return page


def _reviewed(on: Service, root: str, answers: list[Answer], *, sees_others: bool) -> list[Reviewed]:
    engine, table = on.engine, on.engine.table
    with engine.reading() as state:
        pairs = {p.first.row: p for p in state.overlap.pairs(state.told)} if sees_others else {}
        settled = dict(state.overlap.settled)
    made = []
    for answer in answers:
        pair, picture, cells = pairs.get(answer.row), table.image_of(answer.row), table.cells(answer.row)
        other = None if pair is None else pair.first if answer.second else pair.second
        made.append(
            Reviewed(
                answer=answer_out(engine, answer),
                text=table.text_of(answer.row),
                image=None if picture is None else data_url(picture),
                media=media_out(engine, on.media, root, answer.row),
                cells=cells[:_CELLS],
                more_cells=cells[_CELLS:],
                other=None if other is None else answer_out(engine, other),
                agrees=pair is None or pair.agree,
                decided=settled.get(answer.row),
            )
        )
    return made
