"""Making a study of a table that was sent: all of it, or nothing."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from activefs.catalog import Catalog, checked_name
from activefs.exceptions import InvalidInputError
from activefs.study import TablePreview
from activefs.web._limited import run_limited
from activefs.web._uploads import Upload, Uploads


def make_study(
    catalog: Catalog, uploads: Uploads, upload: Upload, name: str, options: dict[str, Any], who: str
) -> None:
    """Make a study; the table that was sent becomes its table, and is kept as it was if this fails.

    Raises
    ------
    InvalidInputError
        If the settings do not fit the table, or there is something of this name.
    """
    checked_name(name)
    table = catalog.table_for(name, upload.ending, upload.path)
    _link(upload.path, table)
    try:
        url = catalog.new(name)
        try:
            written = {**options, **upload.said.said}
            run_limited("create", upload.name, path=str(table), url=url, annotator=who, options=written)
            catalog.finish(name, url)
        except BaseException:
            catalog.discard(name, url)
            raise
    except BaseException:
        table.unlink(missing_ok=True)
        raise
    uploads.discard(upload.id)


def options_of(preview: TablePreview, said: dict[str, Any]) -> dict[str, Any]:
    """Put settings together: what was said, and that columns are no features which cannot be any."""
    roles = {said.get("id_column"), said.get("show_text"), *(said.get("show_media") or ())}
    ignored = [name for name in said.get("ignore", ()) if name not in roles]
    ignored += [c.name for c in preview.columns if c.use == "unusable" and c.name not in {*ignored, *roles}]
    known = {*preview.names}
    for name in (*ignored, *said.get("categorical", ()), *(said.get("show") or ()), *(roles - {None})):
        if name not in known:
            raise InvalidInputError(f"there is no column {name!r} in the table")
    return {**{key: value for key, value in said.items() if value is not None}, "ignore": ignored}


def _link(source: Path, target: Path) -> None:
    """Put the table at its place, without taking away what may be there."""
    try:
        os.link(source, target)
    except FileExistsError:
        if target.samefile(source):  # left by a server that was killed
            return
        raise InvalidInputError(f"there is a file {target.name!r} already: choose another name") from None
    except OSError:  # not every disk knows links
        with target.open("xb") as copy, source.open("rb") as original:
            try:
                shutil.copyfileobj(original, copy)
            except BaseException:
                target.unlink(missing_ok=True)
                raise
