"""A study that cannot be written can be looked at."""

import shutil
import subprocess
import sys
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from machines import small_disk
from platforms import IS_ROOT

from activefs import Study
from activefs.storages import Event, Kind, open_storage

OLD = Path(__file__).parents[2] / "golden" / "study-0.1" / "study.db"
LATE = 59
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="permissions are taken away with Linux' setpriv")


def _without_rights():
    """Words before a command that let permissions count, which they do not for root."""
    if not IS_ROOT:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root may write everywhere, and there is no setpriv to take that away")
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


def _run(*arguments):
    command = [*_without_rights(), sys.executable, "-m", "activefs", "study", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.fixture
def study(tmp_path):
    """A folder with a study of two labels and its table."""
    home = tmp_path / "home"
    home.mkdir()
    X = np.random.default_rng(0).integers(0, 3, size=(60, 4))
    np.savetxt(home / "table.csv", X, fmt="%d", delimiter=",", header="a,b,c,d", comments="")
    with Study.create(home / "study.db", home / "table.csv", 1, strategy="random", random_state=0) as made:
        for label in ("yes", "no"):
            made.tell(made.ask(), label)
    return home


@contextmanager
def _frozen(folder):
    for file in folder.iterdir():
        file.chmod(0o444)
    folder.chmod(0o555)
    try:
        yield folder / "study.db"
    finally:
        folder.chmod(0o755)


def test_status_export_and_report_of_a_copy_that_cannot_be_written(study, tmp_path):
    before = sorted(study.iterdir())
    with _frozen(study) as frozen:
        status, labels = _run("status", frozen), _run("export", frozen)
        report = _run("report", frozen, tmp_path / "report.html")
        undo = _run("undo", frozen)
    assert status.returncode == 0 and "2 labels" in status.stdout, status
    assert labels.returncode == 0 and len(labels.stdout.splitlines()) == 3, labels
    assert report.returncode == 0 and "<!doctype html>" in (tmp_path / "report.html").read_text(), report
    assert undo.returncode == 1 and "the file and its folder must be writable" in undo.stderr
    assert len(undo.stderr.splitlines()) == 1
    assert sorted(study.iterdir()) == before


@contextmanager
def _with_a_log_beside_it(study):
    """Hold the study open after a label, so that its write-ahead log has content."""
    storage = open_storage(study / "study.db")
    with storage.transaction() as log:
        log.append([Event(Kind.LABELLED, LATE, "eva", datetime.now(UTC), label="yes")])
    yield
    storage.close()


def test_what_is_in_the_write_ahead_log_counts(study, tmp_path):
    with _with_a_log_beside_it(study):
        shutil.copytree(study, tmp_path / "copy")
    assert (tmp_path / "copy" / "study.db-wal").stat().st_size > 0
    with _frozen(tmp_path / "copy") as frozen:
        labels = _run("export", frozen)
    assert labels.returncode == 0 and f"\n{LATE},yes,eva," in labels.stdout, labels


def test_a_write_ahead_log_without_its_shared_memory_counts_too(study, tmp_path):
    with _with_a_log_beside_it(study):
        shutil.copytree(study, tmp_path / "copy", ignore=shutil.ignore_patterns("*-shm"))
    before = sorted((tmp_path / "copy").iterdir())
    with _frozen(tmp_path / "copy") as frozen:
        status, labels, undo = _run("status", frozen), _run("export", frozen), _run("undo", frozen)
    assert status.returncode == 0 and "3 labels" in status.stdout, status
    assert labels.returncode == 0 and f"\n{LATE},yes,eva," in labels.stdout, labels
    assert undo.returncode == 1 and "must be writable" in undo.stderr and len(undo.stderr.splitlines()) == 1
    assert sorted((tmp_path / "copy").iterdir()) == before


def test_a_write_ahead_log_that_cannot_be_read_is_not_left_out(study, tmp_path):
    with _with_a_log_beside_it(study):
        shutil.copytree(study, tmp_path / "copy", ignore=shutil.ignore_patterns("*-shm"))
    with _frozen(tmp_path / "copy") as frozen:
        (tmp_path / "copy" / "study.db-wal").chmod(0)
        labels = _run("export", frozen)
    assert labels.returncode == 1 and labels.stdout == ""
    assert "copy both files to a folder of your own" in labels.stderr and len(labels.stderr.splitlines()) == 1


def test_an_old_study_that_cannot_be_upgraded(tmp_path):
    (tmp_path / "old").mkdir()
    shutil.copy(OLD, tmp_path / "old" / "study.db")
    with _frozen(tmp_path / "old") as frozen:
        status = _run("status", frozen)
    assert status.returncode == 1 and "was made by an older release" in status.stderr
    assert len(status.stderr.splitlines()) == 1


def test_a_medium_that_is_read_only(study, tmp_path):
    with small_disk(tmp_path / "disk") as disk:
        for file in study.iterdir():
            shutil.copy(file, disk)
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        status, labels = _run("status", disk / "study.db"), _run("export", disk / "study.db")
    assert status.returncode == 0 and "2 labels" in status.stdout, status
    assert labels.returncode == 0 and len(labels.stdout.splitlines()) == 3, labels
