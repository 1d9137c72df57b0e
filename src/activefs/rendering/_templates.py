"""Pages from templates: one HTML file each, without script or link, pictures inside."""

from __future__ import annotations

import base64
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from activefs.rendering._words import percent


def render(template: str, **values: Any) -> str:
    """Fill a template of this package; whatever is put in is escaped, and what is missing is an error.

    Parameters
    ----------
    template : str
        Name of the file below ``templates``.
    **values
        What the template shows; pictures are the bytes of PNG files.
    """
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("activefs.rendering"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {"fixed": _fixed, "thousands": _thousands, "data_url": _data_url, "time": _time, "percent": percent}
    return made


def _fixed(number: float, digits: int = 4) -> str:
    return f"{number:.{digits}f}"


def _thousands(number: float) -> str:
    return f"{number:,}"


def _time(moment: Any, seconds: bool = False) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}" if seconds else f"{moment:%Y-%m-%d %H:%M}"


def _data_url(picture: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(picture).decode()}"
