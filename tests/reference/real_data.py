"""The paper's data sets, for tests that skip without them and never download."""

import os
from pathlib import Path

import pytest

from activefs.datasets._files import Folders, find
from activefs.datasets._registry import ENTRIES

GIVEN = os.environ.get("ACTIVEFS_DATA_DIR")  # before any test sets another


def need(name: str) -> None:
    """Skip the test if a file of the data set is missing, and say which."""
    folders = Folders(Path(GIVEN or "no such folder"), Path("no such folder"))
    missing = [file.names[0] for file in ENTRIES[name].files if find(file, folders) is None]
    if missing:
        pytest.skip(f"set ACTIVEFS_DATA_DIR to a folder with {', '.join(missing)}")
