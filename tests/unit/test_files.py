"""Files that are written whole: what they replace, and what they leave alone."""

import os
import stat
import sys

import pytest

from activefs.files import write_whole

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="permissions and pipes as POSIX has them")


def test_the_file_behind_a_link_is_replaced(tmp_path):
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    target.write_text("old")
    link.symlink_to(target)
    write_whole(link, b"new")
    assert link.is_symlink() and target.read_text() == "new"


def test_permissions_stay(tmp_path):
    path = tmp_path / "secret.json"
    path.write_text("old")
    path.chmod(0o600)
    write_whole(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and path.read_text() == "new"


def test_what_is_no_file_is_written_to(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(pipe, b"labels")
        assert os.read(reader, 100) == b"labels" and stat.S_ISFIFO(pipe.stat().st_mode)
    finally:
        os.close(reader)


def test_a_folder_is_not_replaced(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path / "folder", b"labels")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
