"""Ctrl-C in the middle of a command says that it was heard."""

import signal
import subprocess
import sys

import pandas as pd
import pytest
from machines import PATIENCE
from sklearn.datasets import load_breast_cancer

# Says when it is in the middle of its work: after a hundred questions of very many.
PROGRAM = """
import sys
from itertools import count
from activefs import Session
from activefs.cli import main

asked, ask = count(1), Session.ask

def counting(self, *given):
    if next(asked) == 100:
        print("in the middle", flush=True)
    return ask(self, *given)

Session.ask = counting
sys.exit(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind are for POSIX systems")
def test_select(tmp_path):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    pd.concat([X, y.rename("ill")], axis=1).to_csv(tmp_path / "table.csv", index=False)
    options = ["table.csv", "--label", "ill", "--k", "5", "--budget", "500", "--seeds", "1000"]
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "select", *options],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout.readline() == "in the middle\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=PATIENCE) == ("", "interrupted\n")
    assert process.returncode == 130
