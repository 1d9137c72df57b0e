"""Results of finished experiments, kept so that an interrupted run can be taken up again."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from activefs.exceptions import InvalidInputError
from activefs.experiments.single_feature._measure import Measured

# Changes whenever the same settings would give other numbers.
_FORMAT = 1


class Store:
    """A folder of results, each under a name made of all settings that it depends on."""

    def __init__(self, out: Path) -> None:
        self.folder = out / ".parts"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            # Working files: they are of no use to anyone who only wants the results.
            (self.folder / ".gitignore").write_text("*\n")
        except OSError as error:
            raise InvalidInputError(
                f"cannot write to the folder {out} ({error.strerror}); name another one with --out"
            ) from error

    def path(self, name: str, settings: dict[str, object]) -> Path:
        """Where the result with these settings is kept."""
        text = json.dumps({"format": _FORMAT, **settings}, sort_keys=True)
        return self.folder / f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:16]}.npz"

    def load(self, path: Path) -> Measured | None:
        """Read a kept result, or nothing if it is not there or cannot be read."""
        try:
            with np.load(path) as found:
                return Measured(**{name: found[name] for name in found.files})
        except (OSError, BadZipFile, ValueError, TypeError, KeyError, EOFError):
            return None

    def save(self, path: Path, measured: Measured) -> None:
        """Keep a result; a run killed meanwhile leaves the old state, never half a file."""
        temporary = path.with_suffix(f".{os.getpid()}.tmp")
        with temporary.open("wb") as file:
            np.savez(file, **vars(measured))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
