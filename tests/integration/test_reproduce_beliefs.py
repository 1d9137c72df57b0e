"""`activefs reproduce beliefs` as a user runs it."""

from activefs.cli import main


def test_report_and_again_without_work(tmp_path, capsys):
    command = [
        "reproduce",
        "beliefs",
        "--out",
        str(tmp_path),
        "--datasets",
        "WINE0,SMALL",
        "--runs",
        "2",
        "--jobs",
        "1",
    ]
    assert main(command) == 0
    text = (tmp_path / "beliefs.md").read_text()
    assert "## By number of labels" in text and "| 25 | 1 |" in text  # traps apart
    assert "WINE0" in text and "Traps" in text and "left out" not in capsys.readouterr().err
    assert (tmp_path / "beliefs.csv").read_text().count("\n") == 3 and (tmp_path / "beliefs.svg").stat().st_size > 1000
    assert main(command) == 0
    assert " 0 of them computed now" in capsys.readouterr().out and (tmp_path / "beliefs.md").read_text() == text
    assert main([*command[:-4], "--runs", "1"]) != 0
