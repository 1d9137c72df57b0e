"""What is kept between processes: whole or not at all, as much as fits, and never an error."""

import errno
import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from machines import line_of, wait_until

from activefs import caches, files
from activefs.caches import ArrayCache

MEGABYTE = {"numbers": np.zeros(125_000)}


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def loaded(cache):
    """What is kept as "one", which must be there."""
    found = cache.load("one")
    assert found is not None
    return found


def has_one(folder, start):
    """Whether the folder has a file whose name begins so."""
    return folder.exists() and any(name.startswith(start) for name in names(folder))


def test_arrays_come_back_as_they_were(tmp_path):
    cache = ArrayCache("part", inside=tmp_path)
    floats = np.array([[0.1, np.pi]], dtype=np.float32)
    given: dict[str, np.ndarray] = {"floats": floats, "texts": np.array(["a", "bcd"]), "none": np.empty((0, 3))}
    cache.keep("one", given)
    found = loaded(cache)
    assert found.keys() == given.keys()
    for name, array in given.items():
        assert found[name].dtype == array.dtype and np.array_equal(found[name], array)
    assert cache.load("other") is None


@pytest.mark.parametrize("share", [0.0, 0.3, 0.999])
def test_truncated_files_are_not_there(tmp_path, share):
    cache = ArrayCache("part", inside=tmp_path)
    cache.keep("one", MEGABYTE)
    path = tmp_path / "part" / "one.activefs.npz"
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    assert cache.load("one") is None
    cache.keep("one", MEGABYTE)
    assert np.array_equal(loaded(cache)["numbers"], MEGABYTE["numbers"])


def test_damaged_files_are_never_believed(tmp_path):
    """Wherever a byte is wrong: the arrays are the right ones or none."""
    cache = ArrayCache("part", inside=tmp_path)
    given = {"numbers": np.arange(60.0), "texts": np.array(["a", "b"])}
    cache.keep("one", given)
    path = tmp_path / "part" / "one.activefs.npz"
    whole = path.read_bytes()
    rejected = 0
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        found = cache.load("one")
        rejected += found is None
        if found is not None:
            assert found.keys() == given.keys() and all(np.array_equal(found[name], given[name]) for name in given)
    assert rejected > len(whole) / 2


def test_folders_that_cannot_be_written(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    cache = ArrayCache("part", inside=blocked)
    cache.keep("one", MEGABYTE)
    assert cache.load("one") is None

    def full(path):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(caches, "replacing", full)
    cache = ArrayCache("part", inside=tmp_path)
    cache.keep("one", MEGABYTE)
    assert cache.load("one") is None and names(tmp_path / "part") == []


def _no_home(*args, **kwargs):
    raise RuntimeError("could not determine the home directory")


@pytest.mark.parametrize("said", [lambda name, appauthor: f"~/.cache/{name}", _no_home])
def test_without_a_home_folder(tmp_path, monkeypatch, said):
    monkeypatch.delenv(caches.FOLDER_VARIABLE)
    monkeypatch.setattr("platformdirs.user_cache_dir", said)  # older and newer releases
    monkeypatch.chdir(tmp_path)
    cache = ArrayCache("part")
    cache.keep("one", MEGABYTE)
    assert cache.load("one") is None and names(tmp_path) == []


def test_files_of_others_stay(tmp_path, monkeypatch):
    monkeypatch.setenv(caches.SIZE_VARIABLE, "3")
    cache = ArrayCache("part", inside=tmp_path)
    cache.keep("one", MEGABYTE)
    (tmp_path / "part" / "photo.jpg").write_bytes(bytes(5_000_000))
    for name in ("two", "three", "four"):
        cache.keep(name, MEGABYTE)
    assert "photo.jpg" in names(tmp_path / "part") and cache.load("one") is None and cache.load("four") is not None


def test_folder(tmp_path, monkeypatch):
    monkeypatch.setenv(caches.FOLDER_VARIABLE, str(tmp_path / "mine"))
    assert caches.folder() == tmp_path / "mine"
    monkeypatch.setenv(caches.FOLDER_VARIABLE, "")
    if sys.platform == "linux":
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        assert caches.folder() == tmp_path / "activefs"


@pytest.mark.parametrize(("given", "expected"), [("3", 3_000_000), ("0", 0), ("-1", 0), ("much", 2_000_000_000)])
def test_room(monkeypatch, given, expected):
    monkeypatch.setenv(caches.SIZE_VARIABLE, given)
    assert caches.most_bytes() == expected


def test_what_was_used_longest_ago_makes_room(tmp_path, monkeypatch):
    monkeypatch.setenv(caches.SIZE_VARIABLE, "3.5")
    cache = ArrayCache("part", inside=tmp_path)
    folder = tmp_path / "part"
    for age, name in ((30, "a"), (20, "b"), (10, "c")):
        cache.keep(name, MEGABYTE)
        os.utime(folder / f"{name}.activefs.npz", (time.time() - age,) * 2)
    assert cache.load("a") is not None  # the oldest, but used just now
    cache.keep("d", MEGABYTE)
    assert names(folder) == ["a.activefs.npz", "c.activefs.npz", "d.activefs.npz"]
    cache.keep("large", {"numbers": np.zeros(500_000)})  # larger than all the room: not kept, and nothing makes way
    assert names(folder) == ["a.activefs.npz", "c.activefs.npz", "d.activefs.npz"]


def test_what_killed_processes_left_is_deleted(tmp_path):
    cache = ArrayCache("part", inside=tmp_path)
    cache.keep("a", MEGABYTE)
    folder = tmp_path / "part"
    (folder / ".old.activefs.npz.17.1").write_bytes(b"half")
    os.utime(folder / ".old.activefs.npz.17.1", (time.time() - 7200,) * 2)
    (folder / ".new.activefs.npz.18.1").write_bytes(b"half")  # perhaps somebody is writing it
    cache.keep("b", MEGABYTE)
    assert names(folder) == [".new.activefs.npz.18.1", "a.activefs.npz", "b.activefs.npz"]


WRITER = """
import sys
from pathlib import Path
import numpy as np
from activefs.caches import ArrayCache
cache = ArrayCache("part", inside=Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for _ in range(int(sys.argv[3])):
    cache.keep("one", {"numbers": np.full(300_000, float(sys.argv[2]))})
    found = cache.load("one")
    if found is None and sys.platform == "win32":  # where what is being replaced cannot be opened
        continue
    assert found is not None and np.ptp(found["numbers"]) == 0 and found["numbers"].size == 300_000
"""


def writer(folder, number, rounds):
    command = [sys.executable, "-c", WRITER, str(folder), str(number), str(rounds)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert line_of(process.stdout).strip() == b"ready"
    return process


def test_two_processes_at_once(tmp_path):
    processes = [writer(tmp_path, number, 30) for number in (1, 2)]
    for process in processes:
        process.stdin.write(b"\n")
        process.stdin.close()
    assert [process.wait() for process in processes] == [0, 0]
    assert loaded(ArrayCache("part", inside=tmp_path))["numbers"][0] in (1, 2)
    assert names(tmp_path / "part") == ["one.activefs.npz"]


def test_a_process_killed_while_writing(tmp_path):
    cache, folder = ArrayCache("part", inside=tmp_path), tmp_path / "part"
    for _ in range(3):
        process = writer(tmp_path, 3, 10_000)
        unfinished = f".one.activefs.npz.{process.pid}."
        process.stdin.write(b"\n")
        process.stdin.flush()
        wait_until(partial(has_one, folder, unfinished), pause=0.0)
        process.kill()
        process.communicate()
        found = cache.load("one")
        assert found is None or np.array_equal(found["numbers"], np.full(300_000, 3.0))
    cache.keep("one", MEGABYTE)
    assert loaded(cache)["numbers"].size == 125_000


def test_a_file_that_could_not_be_finished(tmp_path):
    path = tmp_path / "notes.txt"
    files.write_whole(path, b"old")
    with pytest.raises(ZeroDivisionError), files.replacing(path) as file:
        file.write(b"new")
        file.write(bytes(1 // 0))
    assert path.read_bytes() == b"old" and names(tmp_path) == ["notes.txt"]


def test_reasons_for_not_writing():
    path = Path("somewhere")
    assert "Make room" in files.cannot_write(path, OSError(errno.EDQUOT, "Disk quota exceeded"))
    assert "Permission denied. Check the folder" in files.cannot_write(path, OSError(errno.EACCES, "Permission denied"))
