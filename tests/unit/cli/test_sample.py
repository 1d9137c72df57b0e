"""The table that comes with the install."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from activefs.cli import main
from activefs.datasets import sample_table
from activefs.tables import read_file


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "CSV"])
def test_what_is_written_is_what_scikit_learn_has(tmp_path, ending, capsys):
    file = tmp_path / f"patients.{ending}"
    assert main(["sample", str(file)]) == 0
    assert "569 patients" in capsys.readouterr().out
    found = read_file(file).table
    true = load_breast_cancer()
    assert found.column_names == sample_table().column_names
    assert np.array_equal(found["worst_area"].to_numpy().astype(float), true.data[:, 23])
    assert found["diagnosis"].to_pylist() == [str(true.target_names[v]) for v in true.target]
    assert len(set(found["patient"].to_pylist())) == 569


def test_it_is_written_again_but_over_nothing_else(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["sample"]) == 0 and main(["sample", "patients.csv"]) == 0
    (tmp_path / "mine.csv").write_text("a,b\n1,2\n")
    assert main(["sample", "mine.csv"]) == 2
    assert "is there already" in capsys.readouterr().err
    assert (tmp_path / "mine.csv").read_text() == "a,b\n1,2\n"


def test_where_it_cannot_be_written(tmp_path, capsys):
    assert main(["sample", str(tmp_path / "nowhere" / "p.csv")]) == 1
    assert "could not be written" in capsys.readouterr().err
    assert main(["sample", str(tmp_path / "p.docx")]) == 2
    assert "must end in .csv, .tsv or .parquet" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
