"""Templates: everything that comes from a table or a person is escaped."""

from __future__ import annotations

import mimetypes
import sys
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from activefs.rendering import ABOUT_CHANCE, ABOUT_CONTEST, amount, percent, words_for
from activefs.selection import ARBITRARY
from activefs.tables import listed_left_out
from activefs.web._security import Visitor
from activefs.web._service import home_of, path_of, root_of, served_by

HERE = Path(__file__).parent

if sys.platform == "win32":  # where any program may have said something else of them, and browsers obey what is said
    for _ending, _kind in ((".js", "text/javascript"), (".css", "text/css"), (".svg", "image/svg+xml")):
        mimetypes.add_type(_kind, _ending)


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Make the templates ready: autoescaping on, and a misspelt name is an error."""
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["amount"] = amount
    made.filters["breakable"] = _breakable
    made.filters["criterion"] = lambda name: words_for(name).name
    made.filters["left_out"] = listed_left_out
    made.filters["moment"] = _moment
    made.filters["percent"] = percent
    made.filters["sentence"] = lambda said: f"{str(said)[:1].upper()}{str(said)[1:]}."
    made.globals |= {"about_chance": ABOUT_CHANCE, "about_contest": ABOUT_CONTEST, "about_arbitrary": ARBITRARY}
    return made


def render(request: Request, template: str, here: Visitor | None, *, status: int = 200, **view: Any) -> HTMLResponse:
    """Fill in a template."""
    served = served_by(request)
    # Among several studies, whoever is not signed in need not know what they are called.
    title = "activefs" if here is None and served.below else served.title
    content = (
        environment()
        .get_template(template)
        .render(
            title=title,
            person=None if here is None else here.person,
            csrf="" if here is None else here.csrf,
            signed_in=here is not None and here.has_cookie and not here.is_local,
            owns_server=here is not None and here.gate in served.gates and not served.below,
            root=root_of(request),
            home=f"{home_of(request)}/" if served.below else None,
            path=path_of(request),
            **view,
        )
    )
    return HTMLResponse(content, status)


def _moment(time: datetime) -> Markup:
    """Write a time in UTC, in a way that a script can turn into the time of the reader."""
    time = time.astimezone(UTC)
    return Markup('<time datetime="{}">{}</time>').format(time.isoformat(), time.strftime("%Y-%m-%d %H:%M UTC"))


def _breakable(name: str) -> Markup:
    """Let long names of columns break at underscores, rather than anywhere."""
    return escape(name).replace("_", Markup("_<wbr>"))
