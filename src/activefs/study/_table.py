"""The table of a study: its pool, its fingerprint, and what people see of a row."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from activefs.codec import text_of
from activefs.exceptions import InvalidInputError, StudyMismatchError
from activefs.model import Assistant
from activefs.options import of_table
from activefs.pool import Pool, read_pool
from activefs.storages import RowName
from activefs.study._media import host_of
from activefs.study._settings import StudySettings
from activefs.tables import Column, read_file, read_table, take_rows
from activefs.types import Array, Floats, UInt8s

_SHOWN_BY_DEFAULT = 60
_NAMED = 5


class StudyTable:
    """A table as a study uses it.

    Parameters
    ----------
    X : table, str or Path
        The table, or the file that holds it.
    settings : StudySettings
        Which column is the id, which are no features, which are shown.
    expected : mapping, optional
        Fingerprint that the table must have; another table is refused before anything is made of it.
    source : table, str or Path, optional
        Where all columns can be read again, if `X` was read from a file; by default `X`.
    """

    def __init__(
        self, X: Any, settings: StudySettings, expected: Mapping[str, Any] | None = None, source: Any = None
    ) -> None:
        if isinstance(X, Pool):
            raise InvalidInputError("a study shows rows to people: give it the table itself, not a Pool made of it")
        self._settings = settings
        self._source = X if source is None else source
        if isinstance(X, (str, Path)):
            X = read_file(Path(X), settings.id_column, settings.dialect, settings.rules).table
        table = read_table(X)
        self.names = table.names
        self.n_rows = table.n_rows
        self.shown = _shown_names(settings, table.names)
        self.media: tuple[str, ...] = tuple(settings.show_media or ())
        wanted = {
            *self.shown,
            *self.media,
            settings.show_text,
            *(_pixel_names(settings, table.names) if settings.show_image else ()),
        }
        self.assistant: Assistant | None = None  # made by the first session that needs it, used by all
        self._digests: dict[str, str] = {}
        self._kept: dict[str, Column] = {}
        self.cost: Array | None = None
        for column in table.columns():
            self._digests[column.name] = _digest(column)
            if column.name in wanted or column.name in (settings.id_column, settings.cost):
                self._kept[column.name] = column
        if expected is not None:
            _refuse(_differences(expected, {"rows": self.n_rows, "columns": self._digests}))
        _check_columns(settings, table.names)
        ids = None if settings.id_column is None else self._kept[settings.id_column]
        self.ids = None if ids is None else _names(ids, new=expected is None)
        if settings.cost is not None:
            self.cost = self._kept[settings.cost].values
        no_features = (settings.id_column, settings.cost, settings.show_text, *self.media)
        self.pool = read_pool(
            X,
            **{
                **of_table(settings.options),
                "ignore": [*settings.ignore, *(name for name in no_features if name is not None)],
            },
            row_ids=None if ids is None else ids.values.tolist(),
            rules=settings.rules,
        )
        self.text = settings.show_text
        self.image_shape = settings.show_image
        self._pixel_names: list[str] = []
        self._mean: Floats | None = None
        self._pixels = None if settings.show_image is None else self._image_columns(settings)
        if expected is not None and self.fingerprint != dict(expected):
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
        X = self._source
        if isinstance(X, (str, Path)):
            X = read_file(Path(X), self._settings.id_column, self._settings.dialect, self._settings.rules).table
        table = read_table(X)
        now = {"rows": table.n_rows, "columns": {column.name: _digest(column) for column in table.columns()}}
        _refuse(_differences(self.fingerprint, now))
        return take_rows(X, rows)

    def cells(self, row: int) -> list[tuple[str, str]]:
        """Column names and values of a row that people are to see."""
        return [(name, _shown(self._kept[name], row)) for name in self.shown]

    def text_of(self, row: int) -> str | None:
        """The text of a row, if a column is shown as text."""
        return None if self.text is None else _shown(self._kept[self.text], row)

    def media_of(self, row: int) -> list[tuple[str, str | None]]:
        """Columns of images, sound and videos, and what they hold in a row; None if it is missing."""
        return [(name, self._address(name, row)) for name in self.media]

    @cached_property
    def media_hosts(self) -> frozenset[str]:
        """Schemes and hosts of all addresses in these columns, as in https://example.org."""
        rows = range(self.n_rows)
        return frozenset(
            host for name in self.media for row in rows if (host := host_of(self._address(name, row) or ""))
        )

    def _address(self, name: str, row: int) -> str | None:
        column = self._kept[name]
        said = "" if column.missing is not None and column.missing[row] else str(column.values[row]).strip()
        return said or None

    def image_of(self, row: int) -> UInt8s | None:
        """Grey values of a row, if its columns are the pixels of an image; dark on light as on paper."""
        if self._pixels is None or self.image_shape is None:
            return None
        return np.asarray(255 - self._pixels[row].reshape(self.image_shape), dtype=np.uint8)

    def mean_image(self) -> tuple[Floats, dict[str, int]]:
        """Average image of all rows, and which pixel each column is."""
        assert self._pixels is not None and self.image_shape is not None
        if self._mean is None:
            self._mean = 255 - self._pixels.mean(axis=0).reshape(self.image_shape)
        return self._mean, {name: i for i, name in enumerate(self._pixel_names)}

    def _image_columns(self, settings: StudySettings) -> UInt8s:
        """Pixels scaled to the range from 0 to 255; the columns themselves are not needed any more."""
        assert settings.show_image is not None
        names = self._pixel_names = _pixel_names(settings, self.names)
        height, width = settings.show_image
        if len(names) != height * width:
            raise InvalidInputError(
                f"an image of {height}x{width} has {height * width:,} pixels, but the table has {len(names):,} columns "
                "for them (without the id and those ignored)"
            )
        try:
            values = np.stack([self._kept[name].values for name in names], axis=1).astype(np.float64)
        except (TypeError, ValueError):
            raise InvalidInputError("the columns of an image must all be numbers") from None
        low, high = np.nanmin(values), np.nanmax(values)
        scaled = np.nan_to_num((values - low) * (255.0 / (high - low if high > low else 1.0)))
        for name in set(names) - set(self.shown):
            del self._kept[name]
        return np.round(scaled).astype(np.uint8)


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


def _names(ids: Column, *, new: bool) -> tuple[RowName, ...]:
    """Names of the rows: text and numbers as they are, anything else (such as dates) as it is written.

    For a new study they must differ in more than spaces and accents.
    """
    if ids.missing is not None:
        first, count = int(np.flatnonzero(ids.missing)[0]), int(ids.missing.sum())
        raise InvalidInputError(
            f"the id column {ids.name!r} has {count} row{'' if count == 1 else 's'} without an id (the first is row "
            f"{first + 1} of the table): give each one, or choose another column"
        )
    names = tuple(i if isinstance(i, str | int | float) else str(i) for i in ids.values.tolist())
    seen: dict[str, int] = {}
    for row, name in enumerate(names):
        before = seen.setdefault(text_of(name) if new else str(name).strip(), row)
        if before != row:
            raise InvalidInputError(
                f"the id column {ids.name!r} must be unique, but rows {before + 1} and {row + 1} of the table have "
                f"both {str(name)[:80]!r}, and could not be told apart: correct one of them, or choose another column"
            )
    return names


def _shown(column: Column, row: int) -> str:
    if column.missing is not None and column.missing[row]:
        return "missing"
    value = column.values[row]
    if isinstance(value, (float, np.floating)):
        return "missing" if value != value else f"{float(value):.10g}"
    if isinstance(value, np.datetime64):
        return str(value).replace("T", " ").removesuffix(".000000000").removesuffix(" 00:00:00")
    return str(value)


def _digest(column: Column) -> str:
    """Hash of a column's values, the same however they are stored."""
    values = column.values
    if values.dtype.kind == "b":
        content = values.astype(np.uint8).tobytes()
    elif values.dtype.kind in "iu":
        content = values.astype("<i8").tobytes()
    elif values.dtype.kind == "f":
        content = (values.astype("<f8") + 0.0).tobytes()
    else:
        content = "\x1f".join(map(str, values.tolist())).encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(content, digest_size=8)
    if column.missing is not None:
        digest.update(np.packbits(column.missing).tobytes())
    return digest.hexdigest()


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
