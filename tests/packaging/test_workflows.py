"""The hosted CI calls targets of make, on every system and Python that is supported, with actions that are pinned."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from tools.snippets import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader)
    return found


def steps_of(path: Path) -> list[dict[str, Any]]:
    return [step for job in read(path)["jobs"].values() for step in job.get("steps", [])]


def test_there_is_one_for_changes_and_one_for_releases():
    assert [path.name for path in WORKFLOWS] == ["ci.yml", "release.yml"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_they_call_targets_that_there_are(path):
    run = [step["run"] for step in steps_of(path) if "run" in step]
    called = {line.split()[1] for line in run if line.startswith("make ")}
    assert called and called <= TARGETS
    assert {line for line in run if not line.startswith("make ")} <= {
        "command -v make || choco install make --yes --no-progress"
    }


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_to_what_was_looked_at(path):
    used = [step["uses"] for step in steps_of(path) if "uses" in step]
    assert used and all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name) for name in used)


def test_a_change_is_checked_by_all_that_check_does_at_home():
    check = re.search(r"^check: (.*?) *##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert check is not None
    run = {step.get("run") for step in steps_of(ROOT / ".github" / "workflows" / "ci.yml")}
    assert {f"make {target}" for target in check[1].split()} <= run


def test_every_system_and_every_python_is_tested():
    matrix = read(ROOT / ".github" / "workflows" / "ci.yml")["jobs"]["tests"]["strategy"]["matrix"]
    assert {system.partition("-")[0] for system in matrix["os"]} == {"ubuntu", "macos", "windows"}
    named = [re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", line) for line in PROJECT["classifiers"]]
    assert matrix["python"] == [match[1] for match in named if match]


def test_only_the_job_that_publishes_may_do_more_than_read_and_it_needs_every_test():
    jobs = read(ROOT / ".github" / "workflows" / "release.yml")["jobs"]
    assert {name: job["permissions"] for name, job in jobs.items() if "permissions" in job} == {
        "publish": {"id-token": "write"}
    }
    assert jobs["publish"]["needs"] == "ci" and jobs["ci"]["uses"] == "./.github/workflows/ci.yml"
    assert all(read(path)["permissions"] == {"contents": "read"} for path in WORKFLOWS)


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_the_name_of_a_tag_is_no_command():
    done = subprocess.run(
        ["make", "--dry-run", "tagged", "TAG=v1; echo pwned"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert 'tools.tagged "$TAG"' in done.stdout and "pwned" not in done.stdout
