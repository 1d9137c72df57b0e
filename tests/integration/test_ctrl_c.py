"""Ctrl-C in the middle of a command says that it was heard."""

import signal
import subprocess
import sys

import pandas as pd
import pytest
from machines import PATIENCE
from platforms import needs_signals
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


@needs_signals
def test_select(tmp_path):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    pd.concat([X, y.rename("ill")], axis=1).to_csv(tmp_path / "table.csv", index=False)
    options = ["table.csv", "--label", "ill", "--k", "5", "--budget", "30", "--seeds", "2"]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "select", *options],
        cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


# Signals itself and its workers, as a terminal does, all the time while these start, or in the middle of the work.
WITH_WORKERS = """
import multiprocessing, os, signal, sys, threading
from itertools import count
from activefs import Session, clusters
from activefs.cli import main

signal.signal(signal.SIGINT, signal.default_int_handler)
number, when = int(sys.argv[1]), sys.argv[2]
asked, ask, start, there = count(1), Session.ask, clusters._client_of, threading.Event()

def again_and_again():
    while not there.wait(0.2):
        if when == "start" and multiprocessing.active_children():
            os.killpg(0, number)

def starting(**how):
    threading.Thread(target=again_and_again).start()
    try:
        return start(**how)
    finally:
        there.set()

def counting(self, *given):
    if next(asked) == 5:
        os.killpg(0, number)
    return ask(self, *given)

if __name__ == "__main__":
    clusters._client_of, Session.ask = starting, counting
    sys.exit(main(sys.argv[3:]))
"""


@needs_signals
@pytest.mark.parametrize(
    ("number", "when", "expected"),
    [
        (signal.SIGINT, "start", (130, "interrupted\n")),
        (signal.SIGINT, "work", (130, "interrupted\n")),
        (signal.SIGTERM, "work", (-signal.SIGTERM, "")),
    ],
)
def test_workers_end_with_the_command_without_a_word(tmp_path, number, when, expected):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    pd.concat([X, y.rename("ill")], axis=1).to_csv(tmp_path / "table.csv", index=False)
    (tmp_path / "program.py").write_text(WITH_WORKERS)
    options = ["table.csv", "--label", "ill", "--k", "5", "--budget", "30", "--seeds", "2", "--workers", "2"]
    done = subprocess.run(
        [sys.executable, "program.py", str(int(number)), when, "select", *options],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        timeout=2 * PATIENCE,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == expected
