"""The version stands in one place, and everybody who tells it tells that."""

import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import activefs

ROOT = Path(__file__).parents[2]


def printed(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def test_the_build_reads_the_version_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "version" not in project
    assert project["dynamic"] == ["version"]
    assert printed(sys.executable, "-m", "hatchling", "version") == activefs.__version__


def test_the_command_and_what_is_installed_tell_it_too() -> None:
    assert printed(sys.executable, "-m", "activefs", "--version") == f"activefs {activefs.__version__}"
    # Where this fails the version was changed after the package was installed here: `make clean`, or pip install again.
    assert version("activefs") == activefs.__version__


def test_the_version_is_read_without_loading_anything() -> None:
    code = "import sys, activefs; activefs.__version__; print([name for name in sys.modules if 'activefs.' in name])"
    assert printed(sys.executable, "-c", code) == "[]"
    assert "__version__" in dir(activefs)
    assert activefs.Session.__name__ == "Session"  # the other names are loaded when they are used
