"""Caches without a home folder: private, or none at all."""

import os
import sys
import tempfile
from typing import Any

import numba
import pytest
from platforms import WINDOWS, link

from activefs import caches
from activefs._kernels import jit
from activefs.datasets._files import Folders
from activefs.folders import private_folder

config: Any = numba.config

posix = pytest.mark.skipif(WINDOWS, reason="users of Windows have temporary directories of their own")
MINE = sys.platform != "win32" and os.getuid()


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """A temporary directory of this test; returns the folder in it that is ours."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    private_folder.cache_clear()
    yield tmp_path / f"activefs-{MINE}"
    private_folder.cache_clear()


@pytest.fixture
def no_place(monkeypatch):
    """Numba finds no place for its cache, unless it is told one."""
    monkeypatch.setattr(config, "CACHE_DIR", "")
    places = []

    class Unwritable(jit.KernelCache):
        def __init__(self, function):
            if not config.CACHE_DIR:
                raise RuntimeError("cannot cache function 'f': no locator available for file 'f.py'")
            places.append(config.CACHE_DIR)
            super().__init__(function)

    monkeypatch.setattr(jit, "KernelCache", Unwritable)
    return places


@posix
class TestPrivateFolder:
    def test_is_for_this_user_only(self, temporary):
        folder = private_folder("x")
        assert folder == temporary / "x" and (temporary / "x").is_dir()
        assert temporary.stat().st_mode & 0o777 == 0o700
        private_folder.cache_clear()
        assert private_folder("x") == folder  # the next process finds it again

    @pytest.mark.parametrize("mode", [0o755, 0o720, 0o777])
    def test_not_if_others_can_write_or_read(self, temporary, mode):
        temporary.mkdir()
        temporary.chmod(mode)
        assert private_folder("x") is None

    def test_not_through_a_link(self, temporary, tmp_path):
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        link(temporary, tmp_path / "elsewhere")
        assert private_folder("x") is None

    def test_not_if_it_belongs_to_somebody_else(self, temporary, monkeypatch):
        temporary.mkdir(mode=0o700)
        monkeypatch.setattr(os, "getuid", lambda: MINE + 1)
        temporary.rename(temporary.with_name(f"activefs-{MINE + 1}"))
        assert private_folder("x") is None

    def test_not_if_there_is_no_place(self, temporary, monkeypatch):
        temporary.write_text("a file")
        assert private_folder("x") is None


@posix
class TestKernel:
    def test_is_cached_in_the_private_folder(self, temporary, no_place):
        @jit.kernel
        def twice(x):
            return 2 * x

        assert twice(3) == 6
        assert no_place == [str(temporary / "numba")] and list(temporary.glob("numba/*/*.nbi"))
        assert config.CACHE_DIR == ""

    def test_works_without_a_cache(self, temporary, no_place):
        temporary.write_text("a file")

        @jit.kernel
        def thrice(x):
            return 3 * x

        assert thrice(3) == 9 and no_place == []

    def test_without_a_home_nothing_is_made_in_the_current_folder(self, temporary, tmp_path, monkeypatch):
        monkeypatch.setattr(config, "CACHE_DIR", "")
        monkeypatch.chdir(tmp_path)
        without_home(monkeypatch)

        @jit.kernel
        def negative(x):
            return -x

        assert negative(3) == -3
        assert [path.name for path in tmp_path.iterdir()] == [temporary.name]


@posix
def test_downloads_without_a_home(temporary, monkeypatch):
    without_home(monkeypatch)
    monkeypatch.delenv(caches.FOLDER_VARIABLE)
    assert Folders.from_environment().cache == temporary / "data"


def without_home(monkeypatch):
    def unknown(uid):
        raise KeyError(f"uid not found: {uid}")

    monkeypatch.setattr("pwd.getpwuid", unknown)
    for name in ("HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
