"""The page at which rows are labelled."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fastapi import Request, Response
from fastapi.responses import RedirectResponse

from activefs.codec import normal
from activefs.storages import Label
from activefs.study import new_class, other_keys, similar_classes
from activefs.web._markdown import html_of
from activefs.web._media import policy_for
from activefs.web._rendering import render
from activefs.web._security import Visitor
from activefs.web._service import Service, root_of, service_of
from activefs.web._views import answer_out, how_answered, questions_out

_RECENT = 5


@dataclass(frozen=True)
class Draft:
    """What somebody had typed when the answer was not taken: it stays in sight."""

    question: int
    label: str = ""
    note: str = ""
    flag: bool = False


@dataclass(frozen=True)
class NewClassDoubt:
    """A label that would be a new class, to be confirmed once.

    Attributes
    ----------
    label : str, int, float or bool
        The label.
    similar : list
        Classes that may have been meant.
    fields : dict
        What else the form sends again, if it is not the form of the row.
    """

    label: Label
    similar: list[Label]
    fields: dict[str, Any] = field(default_factory=dict)


def doubt_about(on: Service, said: str, confirmed: str, **fields: Any) -> NewClassDoubt | None:
    """Find out whether a typed label has to be confirmed, because it would be a new class."""
    new = new_class(on.engine, said)
    if new is None or normal(confirmed) == str(new):
        return None
    return NewClassDoubt(new, similar_classes(str(new), on.engine.classes()), fields)


def done(request: Request, here: Visitor, notice: str = "") -> Response:
    """Show the next row; a browser without scripts is sent to the page, so that reloading it sends nothing twice."""
    if "HX-Request" in request.headers:
        return work_page(request, here, notice)
    return RedirectResponse(f"{root_of(request)}/", 303)


def work_page(
    request: Request,
    here: Visitor,
    notice: str = "",
    status: int = 200,
    *,
    draft: Draft | None = None,
    doubt: NewClassDoubt | None = None,
) -> Response:
    """Show a row, what may be answered, and the last answers."""
    engine = service_of(request).engine
    asked = questions_out(request, here.person)
    with engine.reading() as state:
        mine = state.answers(here.person.name)[: -_RECENT - 1 : -1]
        cost = engine.cost(list(state.told))
        count, finished = len(state.told), sum(a.annotator == here.person.name for a in state.told.values())
        seconds = sum(a.annotator == here.person.name for a in state.overlap.answers.values())
        waiting = len(state.overlap.waiting(state.told, engine.clock())) if engine.settings.overlap else 0
        about = None if draft is None else state.questions.get(draft.question)
        paused, archived = state.paused, state.archived
    view: dict[str, Any] = {
        "asked": asked,
        "paused": paused,
        "archived": archived,
        "classes": asked.classes,
        "how": how_answered(engine),
        "keys": other_keys(engine.classes()),
        "wanted": None,
        "recent": [answer_out(engine, a) for a in mine],
        "count": count,
        "done": finished,
        "seconds": seconds,
        "waiting": waiting,
        "budget": engine.settings.budget,
        "cost": cost,
        "prompt": engine.settings.question,
        "left": (asked.questions[-1].until - engine.clock()).total_seconds() if asked.questions else 0,
        "lease": engine.settings.lease,
        "notice": notice,
        "failed": status >= 400,
        "doubt": doubt,
        **_typed(draft, asked.questions[-1].id if asked.questions else None),
        "kept_row": None if about is None else engine.names.of(about.row),
    }
    if "HX-Request" in request.headers:
        return render(request, "_work.html", here, status=status, **view)
    told = engine.settings.instructions
    view["guidance"] = None if told is None else html_of(told)
    page = render(request, "label.html", here, status=status, **view)
    page.headers.update(policy_for(engine))
    return page


def _typed(draft: Draft | None, question: int | None) -> dict[str, Any]:
    """Put what was typed back into its field, if that is for the same row; else beside it, to be copied."""
    same = draft is not None and draft.question == question
    return {"draft": draft if same else None, "kept": None if same else draft}
