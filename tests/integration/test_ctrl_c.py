"""Ctrl-C in the middle of a command says that it was heard."""

import signal
import subprocess
import sys
import time

import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer


@pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind are for POSIX systems")
def test_select(tmp_path):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    pd.concat([X, y.rename("ill")], axis=1).to_csv(tmp_path / "table.csv", index=False)
    command = [
        sys.executable,
        "-c",
        "import sys; from activefs.cli import main; sys.exit(main())",
        "select",
        "table.csv",
        "--label",
        "ill",
        "--k",
        "5",
        "--budget",
        "500",
    ]
    process = subprocess.Popen([*command, "--seeds", "1000"], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "activefs-select").exists():  # made before the first run
        time.sleep(0.1)
        assert process.poll() is None
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[1] == "interrupted\n"
    assert process.returncode == 130
