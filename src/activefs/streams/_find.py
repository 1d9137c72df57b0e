"""Which files are meant by a path, a folder, a pattern or an address."""

from __future__ import annotations

import glob
import os
import posixpath
import re
from pathlib import Path, PurePath, PurePosixPath
from typing import Any
from urllib.parse import unquote

from activefs.exceptions import InvalidInputError, MissingExtraError
from activefs.streams._files import DataFile, telling
from activefs.tables import ending_of, kind_of

PARQUET, TEXT = "Parquet", "text"
_KINDS = {".parquet": PARQUET, ".csv": TEXT, ".tsv": TEXT, ".txt": TEXT}
_LOCAL = ("file", "local")
_PACKAGES = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "abfs": "adlfs", "abfss": "adlfs"}
_PACKAGES |= {"az": "adlfs", "http": "aiohttp", "https": "aiohttp", "sftp": "paramiko", "ssh": "paramiko"}
_WILD = "*?["


def find_files(given: str | Path) -> tuple[list[DataFile], str]:
    """Find the files that hold a table, in the order of their names, and what they are.

    Parameters
    ----------
    given : str or Path
        A file, a folder (with all folders in it), a pattern such as ``data/*.parquet``, or an address of one of these.
        In folders, files whose names begin with a dot or an underscore do not count, nor do files of kinds that hold
        no tables.

    Returns
    -------
    tuple
        The files, and their kind: "Parquet", "text", or how the name of the one file ends.
    """
    said = os.fspath(given)
    protocol, sign, rest = said.partition("://")
    if sign and protocol in _LOCAL:
        said, sign = _without_address(rest), ""
    if not sign:
        return _on_disk(said)
    return _in_store(protocol, said)


def _without_address(said: str) -> str:
    """Read what is behind ``file://``: a whole path is written as in addresses, where a drive has a slash before it."""
    if not said.startswith("/"):
        return said
    path = unquote(said)
    return path[1:] if os.name == "nt" and re.match("/[A-Za-z]:", path) else path


def _on_disk(said: str) -> tuple[list[DataFile], str]:
    path = Path(said)
    with telling(said):
        if any(sign in said for sign in _WILD) and not path.exists():
            found = sorted(Path(name) for name in glob.glob(said, recursive=True))  # noqa: PTH207 - patterns may be absolute
            files = [file for file in found if file.is_file()]
            if not files:
                raise InvalidInputError(f"no file matches {said}: check the pattern")
            root = Path(os.path.commonpath([file.parent for file in files]))
            inside = [file for file in files if not any(map(_is_hidden, file.relative_to(root).parts))]
        elif path.is_dir():
            root, inside = path, _walk(path)
        else:
            if not path.suffix and not path.exists():
                raise InvalidInputError(f"there is no file or folder {said}")
            kind_of(path)
            return [DataFile.local(path)], _kind(path)
    names = [file.relative_to(root).as_posix() for file in inside]
    chosen, kind = _of_one_kind(said, names)
    return [DataFile.local(root / name, _hive(said, name)) for name in chosen], kind


def _walk(root: Path) -> list[Path]:
    """All files in a folder and the folders in it; folders behind links too, but each once."""
    found, seen = [], set()
    for folder, folders, files in os.walk(root, followlinks=True, onerror=_raise):
        if (real := os.path.realpath(folder)) in seen:
            folders.clear()
            continue
        seen.add(real)
        folders[:] = [name for name in folders if not _is_hidden(name)]
        found += [Path(folder) / name for name in files if not _is_hidden(name)]
    return found


def _raise(error: OSError) -> None:
    raise error


def _in_store(protocol: str, said: str) -> tuple[list[DataFile], str]:
    store, path = _store(protocol, said)
    with telling(said):
        if any(sign in path for sign in _WILD):
            found = [name for name in store.glob(path) if store.isfile(name)]
            if not found:
                raise InvalidInputError(f"no file matches {said}: check the pattern")
            root = posixpath.commonpath([str(PurePosixPath(name).parent) for name in found])
        elif store.isdir(path):
            found, root = store.find(path), path
        elif store.isfile(path):
            ending_of(PurePosixPath(path))
            return [DataFile.remote(store, path, name=said)], _kind(PurePosixPath(path))
        else:
            raise InvalidInputError(f"there is no file {said}")
    root = root.rstrip("/")
    inside = [name[len(root) :].lstrip("/") for name in found]
    chosen, kind = _of_one_kind(said, [name for name in inside if not any(map(_is_hidden, PurePosixPath(name).parts))])
    return [DataFile.remote(store, f"{root}/{name}", _hive(said, name)) for name in chosen], kind


def _store(protocol: str, said: str) -> tuple[Any, str]:
    try:
        import fsspec
    except ImportError:
        raise MissingExtraError(f"{said} is an address, and these need a package: pip install fsspec") from None
    package = _PACKAGES.get(protocol)
    try:
        store, path = fsspec.core.url_to_fs(said)
    except ImportError as error:
        advice = f"pip install {package}" if package else str(error).splitlines()[0]
        raise MissingExtraError(f"{said} needs a package that is not installed: {advice}") from None
    except (ValueError, OSError) as error:
        lines = str(error).splitlines() or [type(error).__name__]
        raise InvalidInputError(f"{said} cannot be read: {lines[0]}") from None
    return store, path


def _of_one_kind(said: str, names: list[str]) -> tuple[list[str], str]:
    """Choose the files that hold rows, by name; all of them must be of one kind."""
    kinds: dict[str, list[str]] = {}
    for name in sorted(names):
        try:
            kinds.setdefault(_kind(PurePosixPath(name)), []).append(name)
        except InvalidInputError:
            continue  # what holds no table, such as a description, may lie beside
    if not kinds:
        what = "is empty" if not names else f"holds no Parquet or text files, but {PurePosixPath(names[0]).name}"
        raise InvalidInputError(f"{said} {what}: name a folder or a pattern with files that end with .parquet or .csv")
    (kind, chosen), *others = kinds.items()
    if others:
        raise InvalidInputError(
            f"{said} holds files of several kinds, such as {chosen[0]} and {others[0][1][0]}: "
            "name those that are meant by a pattern, as in folder/*.parquet"
        )
    if kind not in (PARQUET, TEXT) and len(chosen) > 1:
        raise InvalidInputError(
            f"{said} holds {len(chosen)} {kind} files, of which only one can be read at a time: name one of them, or "
            "write all of them as Parquet"
        )
    return chosen, kind


def _kind(path: PurePath) -> str:
    suffix = "." + ending_of(path).split(".")[1]  # without .gz and its like
    return _KINDS.get(suffix, suffix)


def _hive(said: str, name: str) -> tuple[tuple[str, str], ...]:
    """What the folders that a file is in say about its rows."""
    pairs = [part.partition("=") for part in PurePosixPath(name).parts[:-1] if "=" in part]
    found = tuple((column, unquote(value)) for column, _, value in pairs)
    if len({column for column, _ in found}) < len(found):
        raise InvalidInputError(f"{said}: the folders of {name} name a column twice; rename one of them")
    return found


def _is_hidden(name: str) -> bool:
    return name.startswith((".", "_")) and "=" not in name
