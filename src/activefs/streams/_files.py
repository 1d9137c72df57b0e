"""One file that holds rows, on a disk of this machine or behind an address."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from activefs.exceptions import InvalidInputError

# What stores of objects call a mark that changes with the content, and only with it.
_MARKS = ("ETag", "etag", "md5Hash", "content_md5", "crc32c", "checksum")
_BLOCK = 1 << 22


@dataclass(frozen=True)
class DataFile:
    """A file as it was when it was found.

    Attributes
    ----------
    name : str
        What people call it: path or address.
    path : str
        Where it is, for `store` or for the operating system.
    size : int
        Its bytes.
    stamp : str
        Another one if it was written since.
    mark : str or None
        Names the content without reading it, as some stores of objects do.
    store : fsspec file system or None
        Where it lies, if not on a disk of this machine.
    hive : tuple of (str, str)
        What the folders that it is in say about all of its rows, as in ``year=2020/``.
    touched : int
        When anything about it was changed, which nobody can set back as the time in `stamp`; also if its name was.
    """

    name: str
    path: str
    size: int
    stamp: str
    mark: str | None = None
    store: Any = field(default=None, compare=False)
    hive: tuple[tuple[str, str], ...] = ()
    touched: int = 0

    @classmethod
    def local(cls, path: Path, hive: tuple[tuple[str, str], ...] = ()) -> DataFile:
        """Look at a file on a disk, which must be there and readable."""
        with telling(str(path)):
            with path.open("rb"):
                pass
            about = path.stat()
        name, where = str(path), str(path.absolute())
        return cls(name, where, about.st_size, _stamp(about), hive=hive, touched=about.st_ctime_ns)

    @classmethod
    def remote(cls, store: Any, path: str, hive: tuple[tuple[str, str], ...] = (), name: str | None = None) -> DataFile:
        """Look at a file in a store."""
        name = store.unstrip_protocol(path) if name is None else name
        with telling(name):
            about = store.info(path)
            stamp = str(store.ukey(path))
        mark = next((f"{about[word]}" for word in _MARKS if about.get(word)), None)
        return cls(name, path, int(about["size"]), stamp, mark, store, hive)

    def open(self) -> Any:
        """Open it for Arrow; several may be open at once, in several threads."""
        import pyarrow as pa

        with telling(self.name):
            if self.store is None:
                return pa.OSFile(self.path)
            opened = self.store.open(self.path, "rb")
        if isinstance(opened, io.BytesIO):  # what is in memory is one file for all who open it
            return pa.BufferReader(opened.getvalue())
        return pa.PythonFile(opened, mode="r")

    def blocks(self) -> Iterator[bytes]:
        """Read all of its bytes."""
        with telling(self.name), self.open() as stream:
            while block := stream.read(_BLOCK):
                yield block

    def check_unchanged(self) -> None:
        """Refuse to go on if the file was written, replaced or removed since it was found."""
        try:
            if self.store is None:
                stamp = _stamp(Path(self.path).stat())
            else:
                self.store.invalidate_cache()
                stamp = str(self.store.ukey(self.path))
        except OSError:
            raise InvalidInputError(
                f"{self.name} changed while it was read: it is not there any more; put it back and start again"
            ) from None
        if stamp != self.stamp:
            raise InvalidInputError(
                f"{self.name} changed while it was read: start again when nobody writes it any more"
            )


@contextmanager
def telling(name: str) -> Iterator[None]:
    """Turn what the system says of a file that cannot be read into a sentence."""
    try:
        yield
    except FileNotFoundError:
        raise InvalidInputError(f"there is no file {name}") from None
    except OSError as error:
        said = error.strerror or str(error).splitlines()[0]
        advice = "; ask for the right to read it" if isinstance(error, PermissionError) else ""
        raise InvalidInputError(f"{error.filename or name} cannot be read: {said}{advice}") from error


def _stamp(about: Any) -> str:
    return f"{about.st_size}-{about.st_mtime_ns}-{about.st_ino}"
