"""A package that cannot be written to, and no home: everything works, with its caches in the temporary directory."""

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from platforms import IS_ROOT

import activefs

pytestmark = [
    pytest.mark.long,  # everything is compiled anew
    pytest.mark.skipif(sys.platform != "linux", reason="takes rights away as Linux does"),
]

NOBODY = """
import pwd
def unknown(uid): raise KeyError(f"uid not found: {uid}")
pwd.getpwuid = unknown
"""
WORK = """
import numpy as np
import activefs
from activefs.cli import main
from activefs.storages import MemoryStorage

assert activefs.__file__.startswith(FOLDER), activefs.__file__
X = np.random.default_rng(0).integers(0, 3, (60, 4))
session = activefs.Session(X, k=1, strategy="afs", random_state=0)
for i in range(3):
    session.tell(session.ask(), "ab"[i % 2])
assert len(session.selection().features) == 1
large = np.random.default_rng(1).integers(0, 3, (2_600, 4))  # so many rows that the model is worth keeping
assert activefs.Session(large, k=1, random_state=0).ask() >= 0
assert activefs.Study.create(MemoryStorage(), X, 1, strategy="random", random_state=0).ask() is not None
assert main(["demo", "--help"]) == main(["datasets", "list"]) == 0
options = ["--label", "y", "--k", "1", "--budget", "5", "--seeds", "1", "--strategy", "random"]
assert main(["select", "table.csv", *options]) == 0
"""
_DROP_FROM_BOUNDING_SET = 24
_RIGHTS_OVER_ALL_FILES = (1, 2, 3)  # that make root ignore permissions


def without_rights():
    """Make permissions count, even for root."""
    if IS_ROOT:
        system = ctypes.CDLL(None)
        for right in _RIGHTS_OVER_ALL_FILES:
            system.prctl(_DROP_FROM_BOUNDING_SET, right, 0, 0, 0)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A copy of the package that nobody may write to, a locked folder, and a table where one may."""
    folder = tmp_path_factory.mktemp("installed")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(activefs.__file__).parent, folder / "packages" / "activefs", ignore=ignored)
    (folder / "locked").mkdir()
    (folder / "work").mkdir()
    (folder / "work" / "table.csv").write_text("a,b,y\n" + "".join(f"{i % 3},{i % 2},{i % 4 > 1}\n" for i in range(40)))
    closed = [folder / "locked", folder / "packages", *(folder / "packages").rglob("*")]
    for path in closed:
        path.chmod(path.stat().st_mode & ~0o222)
    yield folder
    for path in closed:
        path.chmod(path.stat().st_mode | 0o200)


@pytest.mark.parametrize("home", ["locked/home", None])
def test_everything_works(installed, home, tmp_path):
    env = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "LANG") if name in os.environ}
    env |= {"PYTHONPATH": str(installed / "packages"), "TMPDIR": str(tmp_path)}
    if home is not None:
        env["HOME"] = str(installed / home)
    code = f"FOLDER = {str(installed)!r}\n" + (NOBODY if home is None else "") + WORK
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=env, cwd=installed / "work", preexec_fn=without_rights, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert {path.name for path in (installed / "work").iterdir()} <= {"table.csv", "activefs-select"}
    (kept,) = tmp_path.glob("activefs-*")
    assert kept.stat().st_mode & 0o777 == 0o700 and list(kept.glob("numba/*/*.nbi"))
    assert not list((installed / "packages").rglob("__pycache__")) and not list((installed / "locked").iterdir())
