"""Matrix products on one thread, whatever was loaded meanwhile."""

import os
import subprocess
import sys

CODE = """
from threadpoolctl import threadpool_info
import numpy
from activefs._kernels import threads

def counts():
    return [library["num_threads"] for library in threadpool_info()]

with threads.one_for_products():
    first = counts()
import scipy.linalg, sklearn.linear_model  # which bring libraries of their own
with threads.one_for_products():
    assert set(counts()) == {1} and len(counts()) > len(first) > 0, (first, counts())
    with threads.one_for_products():
        pass
    assert set(counts()) == {1}
assert max(counts()) == 2, counts()
"""


def test_libraries_that_come_later_count():
    env = {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    done = subprocess.run([sys.executable, "-c", CODE], env={**os.environ, **env}, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
