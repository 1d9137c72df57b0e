"""Images, sound and videos of rows: where they are, and what pages may load."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, cast
from urllib.parse import urlsplit

from activefs.study import HEAD, StudyEngine, below, host_of, kind_of_name, type_of
from activefs.web._guards import POLICY
from activefs.web._models import Medium

_FEW_HOSTS = 10
Kind = Literal["image", "audio", "video"]


def media_out(engine: StudyEngine, folder: Path | None, root: str, row: int) -> list[Medium]:
    """Describe the media of a row."""
    return [
        Medium(column=column, name="", kind=None, url=None, problem="There is none for this row.")
        if said is None
        else _address(column, said)
        if host_of(said) is not None
        else _file(folder, f"{root}/media/{row}/{number}", column, said)
        for number, (column, said) in enumerate(engine.table.media_of(row))
    ]


def find_file(engine: StudyEngine, folder: Path | None, row: int, number: int) -> tuple[Path, str] | None:
    """Find the file that a row names, and its type; None if there is none that may be shown."""
    media = engine.table.media_of(row) if 0 <= row < engine.n_rows else []
    name = media[number][1] if 0 <= number < len(media) else None
    return None if folder is None or name is None or host_of(name) is not None else _checked(folder, name)


def policy_for(engine: StudyEngine) -> dict[str, str]:
    """Make the content security policy of pages that show rows: media may come from where the table says."""
    if not engine.settings.show_media:
        return {}
    hosts = engine.table.media_hosts
    sources = "".join(f" {host}" for host in (sorted(hosts) if len(hosts) <= _FEW_HOSTS else ("https:", "http:")))
    images = POLICY.replace("img-src 'self' data:", f"img-src 'self' data:{sources}")
    return {"Content-Security-Policy": f"{images}; media-src 'self'{sources}"}


def _address(column: str, said: str) -> Medium:
    # An address need not say what it leads to; most that do not are images.
    kind = kind_of_name(urlsplit(said).path) or "image"
    return Medium(column=column, name=said, kind=_kind(kind), url=said)


def _file(folder: Path | None, url: str, column: str, said: str) -> Medium:
    problem = ""
    if folder is None:
        problem = "no folder"
    elif kind_of_name(said) is None:
        problem = "This is no image, sound or video that browsers show."
    elif (found := _checked(folder, said)) is not None:
        return Medium(column=column, name=said, kind=_kind(found[1]), url=url)
    else:
        problem = "This file is missing, or is not what its name says."
    return Medium(column=column, name=said, kind=None, url=None, problem=problem)


def _checked(folder: Path, name: str) -> tuple[Path, str] | None:
    path = below(folder, name)
    if path is None or kind_of_name(path.name) is None:
        return None
    try:
        with path.open("rb") as file:
            kind = type_of(path.name, file.read(HEAD))
    except OSError:
        return None
    return None if kind is None else (path, kind)


def _kind(content_type: str) -> Kind:
    return cast("Kind", content_type.partition("/")[0])
