"""Commands that cannot do what they should, and options that are more than a word."""

import errno
import io
import json
import sys

import numpy as np
import pandas as pd
import pytest

from activefs import Study, datasets
from activefs.cli import _select as select_command
from activefs.cli import _study_export as export_command
from activefs.cli import main
from activefs.study import Person, open_engine


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).integers(0, 3, size=(60, 4))
    pd.DataFrame(X, columns=list("abcd")).assign(ill=X[:, 1] > 0).to_csv("t.csv", index=False)
    return tmp_path


SELECT = ["select", "t.csv", "--label", "ill", "--k", "2", "--budget", "12", "--seeds", "1"]
CREATE = ["study", "create", "s.db", "--data", "t.csv", "--ignore", "ill", "--k", "1", "--budget", "9", "--seed", "1"]


def full(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


class TestWhatGoesWrong:
    def test_a_folder_that_is_a_file(self, table, capsys):
        assert main([*SELECT, "--out", "t.csv"]) == 2
        assert "cannot write to t.csv" in capsys.readouterr().err

    def test_a_full_disk(self, table, monkeypatch, capsys):
        monkeypatch.setattr(select_command, "write_whole", full)
        assert main([*SELECT, "--strategy", "random"]) == 1
        said = capsys.readouterr().err
        assert "the disk is full" in said and "run the same command again" in said

    def test_a_full_disk_for_labels(self, table, monkeypatch, capsys):
        assert main(CREATE) == 0
        monkeypatch.setattr(export_command, "replacing", full)
        assert main(["study", "export", "s.db", "labels.csv"]) == 1
        said = capsys.readouterr().err
        assert "labels.csv" in said and "the disk is full" in said

    def test_labels_that_are_no_text(self, table, capsys):
        assert main(CREATE) == 0
        (table / "labels.csv").write_bytes(b"PK\x03\x04 and so on")
        assert main(["study", "import", "s.db", "labels.csv"]) == 2
        assert "it is in fact an Excel or zip file" in capsys.readouterr().err
        (table / "labels.csv").write_bytes(b"\x00\x01\xff\xfe\x00\x80")
        assert main(["study", "import", "s.db", "labels.csv"]) == 2
        assert "it is no text" in capsys.readouterr().err

    def test_what_nobody_thought_of_is_a_line_and_a_traceback_on_request(self, table, monkeypatch, capsys):
        monkeypatch.setattr(datasets, "available", lambda: 1 // 0)
        assert main(["datasets", "list"]) == 1
        assert capsys.readouterr().err == (
            "error: ZeroDivisionError: integer division or modulo by zero (run again with --debug for details)\n"
        )
        with pytest.raises(ZeroDivisionError):
            main(["--debug", "datasets", "list"])

    def test_a_row_that_went_to_others_meanwhile(self, table, monkeypatch, capsys):
        assert main([*CREATE, "--classes", "yes,no"]) == 0

        class Typed(io.StringIO):
            def readline(self, size: int = -1, /) -> str:  # type: ignore[override]  # as typeshed does for StringIO
                line = super().readline(size)
                if line == "1\n":  # too late: the row was given back, and somebody else has it
                    engine = open_engine("s.db", at_once=False)
                    engine.release(Person("ana"))
                    engine.ask(Person("ben"))
                    engine.close()
                return line

        monkeypatch.setattr(sys, "stdin", Typed("1\n2\n"))
        assert main(["study", "label", "s.db", "--annotator", "ana"]) == 0
        told = capsys.readouterr().out
        assert "your time for row" in told and "1 answers in this session" in told
        with Study.open("s.db") as study:
            assert study.labels == ["no"] and len(study.pending) == 1


class TestOptionsThatAreMoreThanAWord:
    def result(self, capsys, *more):
        assert main([*SELECT, "--json", *more]) == 0
        return json.loads(capsys.readouterr().out)

    def test_parameters_of_a_strategy(self, table, capsys):
        found = [
            self.result(capsys, "--strategy", "afs", "--strategy-param", "psi=l2", "--strategy-param", f"safeguard={n}")
            for n in (1, "None")
        ]
        assert found[0] != found[1]

    def test_a_model(self, table, capsys):
        models = [["--model", f"sklearn.naive_bayes.GaussianNB(var_smoothing={much})"] for much in (0.1, 9)]
        found = [self.result(capsys, *more)["selection"] for more in ([], *models)]
        assert all(one["estimator"] == "assisted" for one in found)
        assert len({tuple(one["scores"]) for one in found}) == 3

    @pytest.mark.parametrize(
        ("more", "said"),
        [
            (["--strategy", "afs", "--strategy-param", "psi"], "write NAME=VALUE, got 'psi'"),
            (["--strategy", "afs", "--strategy-param", "psy=l2"], "no parameter 'psy'"),
            (["--model", "os.system"], "scikit-learn"),
            (["--model", "sklearn.linear_model.Nothing"], "sklearn.linear_model.Nothing"),
            (["--bins", "a=b"], "--bins"),
            (["--delta", "little"], "--delta"),
            (["--k", "two"], "--k"),
        ],
    )
    def test_what_cannot_be_read(self, table, capsys, more, said):
        assert main([*SELECT, *more]) == 2
        told = capsys.readouterr().err
        assert said in told and "Traceback" not in told


class TestDataSets:
    def test_fetched_ones_are_named_with_their_size(self, tmp_path, monkeypatch, capsys):
        (tmp_path / "TINY.bin").write_bytes(bytes(1_500_000))

        def fetch(name, progress):
            assert name == "musk"
            progress("TINY.bin", 700_000, 0)
            progress("TINY.bin", 1_500_000, 1_500_000)
            return (tmp_path / "TINY.bin",)

        monkeypatch.setattr(datasets, "fetch", fetch)
        assert main(["datasets", "fetch", "musk"]) == 0
        assert capsys.readouterr().out == f"MUSK: 1.5 MB, checked, in {tmp_path}\n"

    def test_what_is_missing_can_be_fetched(self, tmp_path, monkeypatch, capsys):
        monkeypatch.setenv("ACTIVEFS_DATA_DIR", str(tmp_path))
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        assert main(["datasets", "list"]) == 0
        assert "activefs datasets fetch NAME" in capsys.readouterr().out
