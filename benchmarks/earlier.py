"""The source of an earlier commit, to compare with."""

from __future__ import annotations

import io
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def source_at(commit: str) -> Iterator[Path | None]:
    """Give a folder with the source of a commit, taken from the history of this repository; None without it."""
    here = Path(__file__).parent.parent
    archive = subprocess.run(["git", "archive", commit, "src"], cwd=here, capture_output=True, check=False)
    with tempfile.TemporaryDirectory() as folder:
        if archive.returncode == 0:
            with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
                files.extractall(folder, filter="data")
        yield Path(folder) / "src" if archive.returncode == 0 else None
