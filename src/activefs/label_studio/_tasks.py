"""A row as a task: what is shown of it, and which row of which study it is."""

from __future__ import annotations

import base64
import hashlib
import io
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from activefs.label_studio._config import CELLS, IMAGE, MEDIA, TEXT
from activefs.label_studio._records import MARK, ROW
from activefs.study import StudyEngine, host_of, kind_of_name

if TYPE_CHECKING:
    from activefs.types import UInt8s

_LOOKED_AT = 200  # rows until one says what its media are


def study_key(engine: StudyEngine) -> str:
    """Name a study so that its tasks are told from those of others."""
    what = json.dumps([engine.created.isoformat(), engine.settings.seed, engine.fingerprint["pool"]], default=str)
    return hashlib.sha256(what.encode()).hexdigest()[:16]


def shown_fields(engine: StudyEngine) -> dict[str, str]:
    """Name the fields that a project made here shows, the most telling first, and the tags that show them."""
    table = engine.table
    found = {f"{MEDIA}{i}": _tag_of(engine, i) for i in range(len(table.media))}
    found |= {IMAGE: "Image"} if table.image_shape is not None else {}
    found |= {TEXT: "Text"} if table.text is not None else {}
    found |= {CELLS: "Table"} if table.shown else {}
    return found or {ROW: "Text"}


def _tag_of(engine: StudyEngine, column: int) -> str:
    """Say how media are shown, by the first name that tells what it is; files of this machine are shown as names."""
    for row in range(min(engine.n_rows, _LOOKED_AT)):
        address = engine.table.media_of(row)[column][1] or ""
        kind = kind_of_name(urlsplit(address).path) if host_of(address) is not None else None
        if kind is not None:
            return {"image": "Image", "audio": "Audio", "video": "Video"}[kind.split("/")[0]]
    return "Text"


def fields(engine: StudyEngine) -> tuple[str, ...]:
    """Name all fields that a task can have: for projects that show columns by their names."""
    table = engine.table
    columns = [*table.shown, *table.media, *([table.text] if table.text is not None else [])]
    id_column = engine.settings.id_column
    return tuple(dict.fromkeys([ROW, *shown_fields(engine), *columns, *([] if id_column is None else [id_column])]))


def task_data(engine: StudyEngine, row: int, wanted: tuple[str, ...] | None = None) -> dict[str, Any]:
    """Write what a task shows of a row; `wanted` are fields besides those of a project made here."""
    table, name = engine.table, engine.names.of(row)
    columns = dict(table.cells(row))
    data: dict[str, Any] = {ROW: str(name)}
    if engine.settings.id_column is not None:
        columns[engine.settings.id_column] = str(name)
    if table.text is not None:
        data[TEXT] = columns[table.text] = str(table.text_of(row))
    if table.shown:
        data[CELLS] = dict(table.cells(row))
    data |= {f"{MEDIA}{i}": address or "" for i, (_, address) in enumerate(table.media_of(row))}
    columns |= {name: address or "" for name, address in table.media_of(row)}
    if (grey := table.image_of(row)) is not None:
        data[IMAGE] = _picture(grey)
    data |= {field: columns[field] for field in wanted or () if field in columns and field not in data}
    return data


def task_mark(engine: StudyEngine, row: int) -> dict[str, Any]:
    """Write the `meta` of a task."""
    return {MARK: {"study": study_key(engine), "row": engine.names.of(row)}}


def _picture(grey: UInt8s) -> str:
    from PIL import Image

    size = max(1, 256 // max(grey.shape))  # small pictures would be shown small
    image = Image.fromarray(grey)
    out = io.BytesIO()
    image.resize((image.width * size, image.height * size), Image.Resampling.NEAREST).save(out, "PNG")
    return "data:image/png;base64," + base64.b64encode(out.getvalue()).decode()
