"""Folders in the cache: whole or not at all, as many as fit, also with several processes."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from machines import line_of, small_disk, wait_until

from activefs import folder_cache
from activefs.exceptions import ActiveFSError
from activefs.folder_cache import FolderCache


def kept(cache: FolderCache, key: str) -> Path:
    """What is kept by a name, which must be there."""
    found = cache.get(key)
    assert found is not None
    return found


def make(cache: FolderCache, key: str, megabytes: float = 0.1, age: float = 0.0) -> Path:
    with cache.make(key) as made:
        (made / "inner").mkdir()
        (made / "inner" / "content").write_bytes(b"x" * int(megabytes * 1e6))
    found = kept(cache, key)
    os.utime(found, (time.time() - age,) * 2)
    return found


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_what_was_made_is_found(tmp_path):
    cache = FolderCache("part", tmp_path)
    assert cache.get("one") is None
    assert make(cache, "one") == tmp_path / "part" / "one"
    assert names(tmp_path / "part") == ["one"] and names(tmp_path / "part" / "one") == ["inner"]


def test_a_key_may_be_known_at_the_end(tmp_path):
    cache, content = FolderCache("part", tmp_path), list[str]()
    with cache.make(lambda: "-".join(content)) as made:
        content += ["a", "b"]
        (made / "content").write_text("ab")
    assert (kept(cache, "a-b") / "content").read_text() == "ab"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, OSError])
def test_nothing_stays_of_what_went_wrong(tmp_path, error):
    cache = FolderCache("part", tmp_path)
    with pytest.raises(error), cache.make("one") as made:
        (made / "content").write_text("half")
        raise error
    assert cache.get("one") is None and names(tmp_path / "part") == []


def test_two_may_make_the_same(tmp_path):
    cache = FolderCache("part", tmp_path)
    with cache.make("one") as first, cache.make("one") as second:
        assert first != second
        (first / "content").write_text("same")
        (second / "content").write_text("same")
    assert names(tmp_path / "part") == ["one"] and (kept(cache, "one") / "content").read_text() == "same"


def test_the_longest_unused_goes_first(tmp_path, monkeypatch):
    monkeypatch.setenv("ACTIVEFS_CACHE_SIZE", "2.5")
    cache = FolderCache("part", tmp_path)
    make(cache, "old", 1.0, age=30)
    make(cache, "used", 1.0, age=20)
    assert cache.get("old") is not None  # which counts
    make(cache, "new", 1.0)
    assert names(tmp_path / "part") == ["new", "old"]


def test_the_one_just_made_stays_however_large(tmp_path, monkeypatch):
    monkeypatch.setenv("ACTIVEFS_CACHE_SIZE", "0")
    cache = FolderCache("part", tmp_path)
    make(cache, "one", 1.0)
    make(cache, "two", 1.0)
    assert names(tmp_path / "part") == ["two"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not delete what is open anyway")
def test_what_somebody_holds_is_not_deleted(tmp_path, monkeypatch):
    class Reader:
        pass

    monkeypatch.setenv("ACTIVEFS_CACHE_SIZE", "1.5")
    cache, reader = FolderCache("part", tmp_path), Reader()
    cache.hold(make(cache, "held", 1.0, age=30), by=reader)
    make(cache, "new", 1.0)
    assert names(tmp_path / "part") == ["held", "new"]
    del reader
    make(cache, "newer", 1.0)
    assert names(tmp_path / "part") == ["newer"]


def test_a_share_of_the_disk_is_the_most(tmp_path, monkeypatch):
    monkeypatch.delenv("ACTIVEFS_CACHE_SIZE", raising=False)
    with small_disk(tmp_path / "disk", megabytes=8) as disk:
        cache = FolderCache("part", disk)
        make(cache, "old", 3.0, age=30)
        make(cache, "new", 3.0)
        assert names(disk / "part") == ["new"]


def test_a_full_disk_is_one_sentence_and_leaves_nothing(tmp_path):
    with small_disk(tmp_path / "disk", megabytes=2) as disk:
        cache = FolderCache("part", disk)
        with pytest.raises(ActiveFSError, match=r"^The disk is full .*make room, or let ACTIVEFS_CACHE_DIR name"):
            make(cache, "one", 5.0)
        assert names(disk / "part") == []


@pytest.mark.skipif(sys.platform == "win32", reason="without locks, what was left is deleted after an hour only")
def test_what_killed_processes_leave_is_deleted_and_what_others_make_is_not(tmp_path, monkeypatch):
    code = (
        "import sys, time; from pathlib import Path; from activefs.folder_cache import FolderCache\n"
        "with FolderCache('part', Path(sys.argv[1])).make('one') as made:\n"
        "    (made / 'content').write_text('half'); print('ready', flush=True); time.sleep(60)\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE) for _ in range(2)]
    try:
        for process in running:
            assert line_of(process.stdout) == b"ready\n"
        running[0].kill()
        running[0].wait()
        monkeypatch.setattr(folder_cache, "_SOON", -1.0)
        cache = FolderCache("part", tmp_path)
        make(cache, "two")
        left = [name for name in names(tmp_path / "part") if name != "two"]
        assert len(left) == 1
        running[1].kill()
        running[1].wait()
        make(cache, "three")
        wait_until(lambda: names(tmp_path / "part") == ["three", "two"])
    finally:
        for process in running:
            process.kill()
            process.communicate()


def test_without_a_cache_folder_a_private_one_is_used(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("ACTIVEFS_CACHE_DIR", str(tmp_path / "file"))
    monkeypatch.setattr(folder_cache, "private_folder", lambda name: tmp_path / name)
    cache = FolderCache("part")
    make(cache, "one")
    assert cache.get("one") == tmp_path / "cache" / "part" / "one"
    monkeypatch.setattr(folder_cache, "private_folder", lambda name: None)
    with pytest.raises(ActiveFSError, match="let ACTIVEFS_CACHE_DIR name one"):
        make(cache, "two")
