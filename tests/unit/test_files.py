"""Files that are written whole: what they replace, and what they leave alone."""

import os
import stat
import sys

import pytest
from platforms import WINDOWS, link

from activefs.files import write_whole


def test_the_file_behind_a_link_is_replaced(tmp_path):
    target, other = tmp_path / "target.json", tmp_path / "link.json"
    target.write_bytes(b"old")
    link(other, target)
    write_whole(other, b"new")
    assert other.is_symlink() and target.read_bytes() == b"new"


@pytest.mark.skipif(WINDOWS, reason="permissions of Windows are others")
def test_permissions_stay(tmp_path):
    path = tmp_path / "secret.json"
    path.write_bytes(b"old")
    path.chmod(0o600)
    write_whole(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and path.read_bytes() == b"new"


@pytest.mark.skipif(WINDOWS, reason="no file of Windows is a pipe")
def test_what_is_no_file_is_written_to(tmp_path):
    if sys.platform != "win32":
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
    with pytest.raises(PermissionError if WINDOWS else IsADirectoryError):
        write_whole(tmp_path / "folder", b"labels")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
