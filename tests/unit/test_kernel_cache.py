"""What numba keeps on disk may be damaged or impossible to write: it is compiled anew, and the numbers are the same."""

import os
import subprocess
import sys

import pytest

CODE = """
import numpy as np
from activefs._kernels.splitmix64 import word
print(hex(word(np.uint64(0), 0)))
"""


def run(folder, code=CODE):
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "NUMBA_CACHE_DIR": str(folder)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("content", [b"", b"damaged"], ids=["emptied", "damaged"])
def test_damaged_files(tmp_path, ending, content):
    assert run(tmp_path) == "0xe220a8397b1dcdaf"
    files = list(tmp_path.rglob(f"*.{ending}"))
    assert files
    for path in files:
        path.write_bytes(content)
    assert run(tmp_path) == "0xe220a8397b1dcdaf"
    assert all(path.stat().st_size > len(content) for path in files), "what was damaged is whole again"


def test_a_disk_that_is_full(tmp_path):
    full = """
import errno
import numba.core.caching
def no_space(*args):
    raise OSError(errno.ENOSPC, "No space left on device")
numba.core.caching.IndexDataCacheFile._save_data = no_space
"""
    assert run(tmp_path, full + CODE) == "0xe220a8397b1dcdaf"
    assert not list(tmp_path.rglob("*.nbc"))
