"""The table of a study: its pool, its fingerprint, and what people see of a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from activefs.exceptions import InvalidInputError, StudyMismatchError
from activefs.model import Assistant
from activefs.options import of_table
from activefs.pool import Cluster, Pool, is_collection, read_pool
from activefs.storages import RowName
from activefs.streams import RowIds, StreamSource
from activefs.study._contents import Contents, MemoryContents, StreamedContents
from activefs.study._images import Images
from activefs.study._settings import StudySettings
from activefs.study._source import Progress, in_memory, open_table
from activefs.types import Floats, UInt8s

_SHOWN_BY_DEFAULT = 60
_NAMED = 5


class StudyTable:
    """A table as a study uses it.

    Parameters
    ----------
    X : table, StreamSource, str or Path
        The table, or where it is: a file, folder, pattern or address.
    settings : StudySettings
        Which column is the id, which are no features, which are shown.
    expected : mapping, optional
        Fingerprint that the table must have; another table is refused before anything is made of it.
    source : table, str or Path, optional
        Where all columns can be read again, if `X` was read from a file; by default `X`.
    progress : callable, optional
        Is told what is done, and which share of it, where that takes long.
    cluster : Cluster, optional
        Whose workers keep the encoded table.
    """

    def __init__(
        self,
        X: Any,
        settings: StudySettings,
        expected: Mapping[str, Any] | None = None,
        source: Any = None,
        progress: Progress | None = None,
        cluster: Cluster | None = None,
    ) -> None:
        if is_collection(X):
            raise InvalidInputError(
                "a study shows rows to people, and finds them again for weeks: write the Dask table as Parquet and "
                "name the folder (activefs serve --cluster lets a cluster keep the table all the same)"
            )
        if isinstance(X, Pool):
            raise InvalidInputError("a study shows rows to people: give it the table itself, not a Pool made of it")
        self._settings = settings
        self._source = X if source is None else source
        X = _opened(X, settings, progress)
        self._contents: Contents
        if isinstance(X, StreamSource):
            self._contents = StreamedContents(X, progress)
        else:
            self._contents = MemoryContents(X, partial(_wanted, settings), partial(_shown_names, settings))
        self.names, self.n_rows = self._contents.names, self._contents.n_rows
        self.shown = _shown_names(settings, self.names)
        self.media: tuple[str, ...] = tuple(settings.show_media or ())
        self.assistant: Assistant | None = None  # made by the first session that needs it, used by all
        self._digests = self._contents.digests
        if expected is not None:
            _refuse(_differences(expected, {"rows": self.n_rows, "columns": self._digests}))
        _check_columns(settings, self.names)
        self.ids: tuple[RowName, ...] | RowIds | None = None
        if settings.id_column is not None:
            self.ids = self._contents.ids(settings.id_column, new=expected is None)
        new = expected is None
        self.cost = None if settings.cost is None else self._contents.column(settings.cost, new=new)
        no_features = (settings.id_column, settings.cost, settings.show_text, *self.media)
        self.pool = read_pool(
            X,
            **{
                **of_table(settings.options),
                "ignore": [*settings.ignore, *(name for name in no_features if name is not None)],
            },
            row_ids=self._contents.row_ids(settings.id_column, self.ids),
            rules=settings.rules,
            progress=progress,
            cluster=cluster,
        )
        self.text = settings.show_text
        self.image_shape = settings.show_image
        self._pixel_names: list[str] = []
        self._images = None if settings.show_image is None else self._images_of(settings)
        if expected is not None and not self.pool.has_fingerprint(expected["pool"]):
            _refuse(
                [
                    "the values are the same, but this release of activefs encodes them in another way than the one "
                    f"that made the study ({settings.version or 'unknown'}); use that release"
                ]
            )

    @property
    def n_hidden(self) -> int:
        """Columns that are not shown, besides the id, in a table without image or text."""
        if self.image_shape or self.text:
            return 0
        return len(self.names) - len({*self.shown, *self.media}) - (self.ids is not None)

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What tells this table from others, in enough detail to say what differs."""
        return {"pool": self.pool.fingerprint, "rows": self.n_rows, "columns": self._digests}

    def rows(self, rows: Sequence[int]) -> Any:
        """Return rows with all columns as an Arrow table, as they are in the file (which is read anew) or were given.

        Raises
        ------
        StudyMismatchError
            If the table is not what it was any more.
        """
        now = _contents_again(self._source, self._settings)
        _refuse(_differences(self.fingerprint, {"rows": now.n_rows, "columns": now.digests}))
        return now.rows(rows)

    def cells(self, row: int) -> list[tuple[str, str]]:
        """Column names and values of a row that people are to see."""
        return [
            (name, _shown(cell)) for name, cell in zip(self.shown, self._contents.cells(row, self.shown), strict=True)
        ]

    def text_of(self, row: int) -> str | None:
        """The text of a row, if a column is shown as text."""
        return None if self.text is None else _shown(self._contents.cells(row, [self.text])[0])

    def media_of(self, row: int) -> list[tuple[str, str | None]]:
        """Columns of images, sound and videos, and what they hold in a row; None if it is missing."""
        cells = self._contents.cells(row, self.media)
        said = ("" if cell is None else str(cell).strip() for cell in cells)
        return [(name, address or None) for name, address in zip(self.media, said, strict=True)]

    @cached_property
    def media_hosts(self) -> frozenset[str]:
        """Schemes and hosts of all addresses in these columns, as in https://example.org."""
        return self._contents.hosts(self.media) if self.media else frozenset()

    def image_of(self, row: int) -> UInt8s | None:
        """Grey values of a row, if its columns are the pixels of an image; dark on light as on paper."""
        if self._images is None or self.image_shape is None:
            return None
        return self._images.of(row).reshape(self.image_shape)

    def mean_image(self) -> tuple[Floats, dict[str, int]]:
        """Average image of all rows, and which pixel each column is."""
        assert self._images is not None and self.image_shape is not None
        return self._images.mean().reshape(self.image_shape), {name: i for i, name in enumerate(self._pixel_names)}

    def _images_of(self, settings: StudySettings) -> Images:
        assert settings.show_image is not None
        names = self._pixel_names = _pixel_names(settings, self.names)
        height, width = settings.show_image
        if len(names) != height * width:
            raise InvalidInputError(
                f"an image of {height}x{width} has {height * width:,} pixels, but the table has {len(names):,} columns "
                "for them (without the id and those ignored)"
            )
        return self._contents.images(names)


def _opened(X: Any, settings: StudySettings, progress: Progress | None = None) -> Any:
    """Open a table that may be a place; what fits is in memory afterwards."""
    if not isinstance(X, (str, Path)):
        return in_memory(X)
    found = open_table(X, settings, progress=progress)
    return found if isinstance(found, StreamSource) else found.table


def _contents_again(X: Any, settings: StudySettings) -> Contents:
    """Look at a table again, which may have changed."""
    X = _opened(X, settings)
    if isinstance(X, StreamSource):
        return StreamedContents(X)
    return MemoryContents(X, lambda names: (), lambda names: ())


def _wanted(settings: StudySettings, names: tuple[str, ...]) -> set[str]:
    """Columns that are looked up."""
    wanted = {
        *_shown_names(settings, names),
        *(settings.show_media or ()),
        settings.show_text,
        settings.id_column,
        settings.cost,
        *(_pixel_names(settings, names) if settings.show_image else ()),
    }
    return {name for name in wanted if name is not None}


def _shown_names(settings: StudySettings, names: tuple[str, ...]) -> tuple[str, ...]:
    if settings.show is not None:
        return tuple(settings.show)
    if settings.show_image or settings.show_text:
        return ()
    left_out = {settings.id_column, *(settings.show_media or ())}
    return tuple(n for n in names if n not in left_out)[:_SHOWN_BY_DEFAULT]


def _pixel_names(settings: StudySettings, names: tuple[str, ...]) -> list[str]:
    ignored = {names[c] if isinstance(c, int) and -len(names) <= c < len(names) else c for c in settings.ignore}
    others = {settings.id_column, settings.show_text, settings.cost, *(settings.show_media or ())}
    return [n for n in names if n not in ignored and n not in others]


def _check_columns(settings: StudySettings, names: tuple[str, ...]) -> None:
    for role, named in (
        ("id", [settings.id_column]),
        ("text", [settings.show_text]),
        ("cost", [settings.cost]),
        ("shown", settings.show or ()),
        ("media", settings.show_media or ()),
    ):
        for name in named:
            if name is not None and name not in names:
                more = f" and {len(names) - 20} more" if len(names) > 20 else ""
                listed = ", ".join(map(repr, names[:20])) + more
                raise InvalidInputError(f"there is no column {name!r} ({role}) in the table; there are: {listed}")


def _shown(value: Any) -> str:
    if value is None:
        return "missing"
    if isinstance(value, (float, np.floating)):
        return "missing" if value != value else f"{float(value):.10g}"
    if isinstance(value, np.datetime64):
        return str(value).replace("T", " ").removesuffix(".000000000").removesuffix(" 00:00:00")
    return str(value)


def _refuse(differences: list[str]) -> None:
    if differences:
        raise StudyMismatchError(
            f"this is not the table that the study was made with: {'; '.join(differences)}. "
            "Open the study with the original table, or make a new study and import the labels"
        )


def _differences(expected: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    said = []
    if expected["rows"] != found["rows"]:
        said.append(f"it has {found['rows']:,} rows instead of {expected['rows']:,}")
    old, new = expected["columns"], found["columns"]
    if gone := [n for n in old if n not in new]:
        said.append(f"{_listed(gone)} missing")
    if more := [n for n in new if n not in old]:
        said.append(f"{_listed(more)} new")
    if not gone and not more and list(old) != list(new):
        said.append("the columns are in another order")
    changed = [n for n in old if n in new and old[n] != new[n]]
    if changed and expected["rows"] == found["rows"]:
        said.append(f"{_listed(changed)} with other values")
    return said


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"column{'s' if len(names) > 1 else ''} {', '.join(map(repr, names[:_NAMED]))}{more}"
