"""What is built: wheel and source archive have what belongs there, and nothing else."""

from __future__ import annotations

import email
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from tools.smoke import problems
from tools.snippets import ROOT

import activefs

MADE_BY_RUNNING = {".pyc", ".nbi", ".nbc"}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def built(source: Path, kind: str, folder: Path) -> Path:
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", folder], cwd=source, check=True)
    (found,) = folder.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(ROOT, "wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source archive, unpacked."""
    folder = tmp_path_factory.mktemp("source")
    with tarfile.open(built(ROOT, "sdist", folder)) as archive:
        archive.extractall(folder, filter="data")
    return folder / f"activefs-{activefs.__version__}"


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def test_the_wheel_is_the_package_and_what_describes_it(wheel):
    source = ROOT / "src"
    package = {
        path.relative_to(source).as_posix(): path.read_bytes()
        for path in (source / "activefs").rglob("*")
        if path.is_file() and path.suffix not in MADE_BY_RUNNING
    }
    about = f"activefs-{activefs.__version__}.dist-info"
    found = contents(wheel)
    described = {name for name in found if name.startswith(f"{about}/")}
    assert described == {
        f"{about}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")
    } | {f"{about}/licenses/src/{name}" for name in found if "/static/licences/" in name and name not in described}
    assert {name: found[name] for name in set(found) - described} == package


@pytest.mark.parametrize(
    "name",
    [
        "py.typed",
        "__init__.pyi",
        "web/templates/*.html",
        "web/static/*.js",
        "web/static/*.css",
        "web/static/licences/*",
        "rendering/templates/*.html",
        "storages/migrations/versions/*.py",
    ],
)
def test_the_wheel_has_what_is_no_module(wheel, name):
    assert [path for path in contents(wheel) if Path(path).match(f"activefs/{name}")]


def test_what_others_made_has_its_licence(wheel):
    found = contents(wheel)
    scripts = [Path(name).name for name in found if name.startswith("activefs/web/static/") and ".min." in name]
    licences = {Path(name).name.partition("-")[0].lower() for name in found if "/static/licences/" in name}
    assert scripts
    assert {name.partition("-")[0].partition(".")[0].lower() for name in scripts} <= licences


def test_metadata_says_where_everything_is(wheel):
    about = email.message_from_bytes(contents(wheel)[f"activefs-{activefs.__version__}.dist-info/METADATA"])
    assert about["Version"] == activefs.__version__
    assert about["License-Expression"] == "BSD-3-Clause AND 0BSD AND MIT"
    assert about["Requires-Python"] == PROJECT["requires-python"]
    assert about["Description-Content-Type"] == "text/markdown"
    assert set(about.get_all("Provides-Extra", [])) == set(PROJECT["optional-dependencies"])
    addresses = dict(line.split(", ") for line in about.get_all("Project-URL", []))
    assert set(addresses) == {"Homepage", "Documentation", "Repository", "Issues", "Changelog"}
    assert all(address.startswith("https://") for address in addresses.values())


def test_the_source_archive_builds_the_same_wheel(unpacked, wheel, tmp_path):
    assert contents(built(unpacked, "wheel", tmp_path)) == contents(wheel)


def test_the_source_archive_has_what_tests_and_pages_need(unpacked):
    kept = {path.name for path in unpacked.iterdir()}
    assert {"src", "tests", "tools", "docs", "examples", "benchmarks", "changes"} <= kept
    assert {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "CITATION.cff", "Makefile"} <= kept
    assert not [path for path in unpacked.rglob("*") if path.suffix in MADE_BY_RUNNING or ".venv" in path.parts]
    assert not (unpacked / "docs" / "gallery").exists()


@pytest.mark.long
def test_installed_without_extras_it_does_what_readme_says_and_names_the_extra_of_the_rest(wheel, tmp_path):
    assert list(problems(wheel, tmp_path)) == []
