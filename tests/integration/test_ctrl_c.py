"""Ctrl-C in the middle of a command says that it was heard."""

import subprocess
import sys

import pandas as pd
import pytest
from machines import PATIENCE
from sklearn.datasets import load_breast_cancer

# Interrupts itself in the middle of its work, as a terminal would.
PROGRAM = """
import os, signal, sys
from itertools import count
from activefs import Session
from activefs.cli import main

# Whatever a shell gave to this test: what runs in the background is deaf to Ctrl-C, and hands that down.
signal.signal(signal.SIGINT, signal.default_int_handler)
asked, ask = count(1), Session.ask

def counting(self, *given):
    if next(asked) == 20:
        os.kill(os.getpid(), signal.SIGINT)
    return ask(self, *given)

Session.ask = counting
sys.exit(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind are for POSIX systems")
def test_select(tmp_path):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    pd.concat([X, y.rename("ill")], axis=1).to_csv(tmp_path / "table.csv", index=False)
    options = ["table.csv", "--label", "ill", "--k", "5", "--budget", "30", "--seeds", "2"]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "select", *options],
        cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")
