"""Whoever reads the output may stop reading, or know few characters."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

PROGRAM = [sys.executable, "-m", "activefs"]
# Output without a buffer, or characters that somebody has set, would hide what is looked for here.
SETTINGS = ("PYTHONUNBUFFERED", "PYTHONIOENCODING", "PYTHONUTF8", "LC_ALL", "LC_CTYPE")
PLAIN = {name: value for name, value in os.environ.items() if name not in SETTINGS}
ASCII = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
SELECT = ["--label", "ill", "--id", "id", "--k", "2", "--budget", "5", "--seeds", "1", "--strategy", "random"]


def run(arguments, folder, **options):
    return subprocess.run(PROGRAM + arguments, cwd=folder, stderr=subprocess.PIPE, **{"env": PLAIN, **options})


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A study with characters that are not ASCII, and with more labels than a pipe holds."""
    folder = tmp_path_factory.mktemp("study")
    rng = np.random.default_rng(0)
    lines = ["id,größe,farbe,β,ill", *(f"Zeile·{i},{i % 3},{rng.integers(4)},{i % 5},{i % 2}" for i in range(4000))]
    (folder / "table.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    labels = "".join(f"Zeile·{i},größer\n" for i in range(3000))
    (folder / "labels.csv").write_text("row,label\n" + labels, encoding="utf-8")
    create = ["study", "create", "s.db", "--data", "table.csv", "--k", "1", "--budget", "4000", "--strategy", "random"]
    for arguments in (
        [*create, "--ignore", "ill", "--id", "id", "--classes", "krank,größer", "--title", "Größe", "--seed", "0"],
        ["study", "import", "s.db", "labels.csv"],
        ["study", "annotator", "add", "s.db", "Zoë Ångström"],
    ):
        run(arguments, folder, check=True)
    return folder


def read_nothing(arguments, folder):
    """Run a command whose output goes to a pipe that is closed already."""
    reader, writer = os.pipe()
    os.close(reader)
    done = run(arguments, folder, stdout=writer, text=True)
    os.close(writer)
    return done.returncode, done.stderr


def read_little(arguments, folder, characters):
    """Run a command and close the pipe after some characters of its output, which is more than a pipe holds."""
    pipe = subprocess.PIPE
    with subprocess.Popen(PROGRAM + arguments, cwd=folder, env=PLAIN, stdout=pipe, stderr=pipe) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.read(characters)
        process.stdout.close()
        said = process.stderr.read().decode()
        return process.wait(), said


class TestClosedPipe:
    @pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["study", "-h"]])
    def test_little_output(self, arguments, tmp_path):
        assert read_nothing(arguments, tmp_path) == (1, "")

    @pytest.mark.parametrize("command", ["export", "status"])
    def test_commands_of_a_study(self, study, command):
        assert read_nothing(["study", command, "s.db"], study) == (1, "")

    def test_in_the_middle(self, study):
        assert read_little(["study", "export", "s.db"], study, 100) == (1, "")

    def test_select(self, study):
        assert read_nothing(["select", "table.csv", *SELECT], study) == (1, "")
        assert (study / "activefs-select" / "report.html").is_file()  # the work was done

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
    @pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
    def test_no_room_for_the_output(self, arguments, tmp_path):
        with Path("/dev/full").open("w") as full:
            done = run(arguments, tmp_path, stdout=full, text=True)
        assert done.returncode == 1
        assert done.stderr.startswith("error: ") and done.stderr.endswith("No space left on device\n")
        assert done.stderr.count("\n") == 1


class TestFewCharacters:
    @pytest.mark.parametrize("settings", [{"LC_ALL": "C", "LANG": "C"}, ASCII, {"PYTHONIOENCODING": "latin-1"}])
    @pytest.mark.parametrize("arguments", [["--help"], ["study", "annotator", "list", "s.db"]])
    def test_no_character_ends_a_command(self, study, settings, arguments):
        done = run(arguments, study, stdout=subprocess.PIPE, env={**PLAIN, **settings})
        assert (done.returncode, done.stderr) == (0, b"")

    @pytest.mark.parametrize("arguments", [["export"], ["status"], ["status", "--json"], ["undo"]])
    def test_commands_of_a_study(self, study, arguments):
        done = run(["study", arguments[0], "s.db", *arguments[1:]], study, stdout=subprocess.PIPE, env=PLAIN | ASCII)
        assert (done.returncode, done.stderr) == (0, b"")

    def test_select(self, study):
        done = run(["select", "table.csv", *SELECT, "--out", "ascii"], study, stdout=subprocess.PIPE, env=PLAIN | ASCII)
        assert (done.returncode, done.stderr) == (0, b"")
