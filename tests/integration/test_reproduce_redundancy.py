"""`activefs reproduce redundancy`: what it refuses. What it computes is in tests/unit/experiments."""

import pytest

from activefs.cli import main


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (["--datasets", " , "], "name at least one data set"),
        (["--datasets", "IRIS"], "there is no data set 'IRIS'"),
        (["--runs", "1"], "runs must be at least 2"),
        (["--budget", "100000"], "1427 rows"),
        (["--k", "1"], "--k"),
        (["--jobs", "0"], "--jobs must be at least 1"),
        (["--out", f"{__file__}/none"], "none"),
    ],
)
def test_wrong_use_is_told(tmp_path, capsys, change, said):
    given = ["reproduce", "redundancy", "--datasets", "RELATHE", "--out", str(tmp_path)]
    assert main([*given, *change]) == 2
    told = capsys.readouterr().err
    assert said in told and "Traceback" not in told
