"""The leaderboard in a README: what is published is linked where it is published."""

from __future__ import annotations

from pathlib import Path

from activefs.experiments.leaderboard._readme import with_leaderboard

PICTURE = "https://raw.githubusercontent.com/activefs/activefs/main/docs/results/leaderboard/leaderboard.png"
REPORT = "https://activefs.readthedocs.io/en/stable/results/leaderboard/report.html"


def readme_in(folder: Path) -> Path:
    readme = folder / "README.md"
    readme.write_text("# Title\n\n<!-- leaderboard -->\nold\n<!-- /leaderboard -->\n\nRest\n")
    return readme


def test_results_below_docs_are_linked_so_that_a_package_index_can_show_them(tmp_path: Path) -> None:
    text = with_leaderboard(readme_in(tmp_path), "| table |", tmp_path / "docs/results/leaderboard")
    assert f"]({PICTURE})" in text and f"[The full leaderboard]({REPORT})." in text
    assert text.startswith("# Title\n") and text.endswith("\n\nRest\n") and "old" not in text


def test_other_results_are_linked_where_they_are(tmp_path: Path) -> None:
    (tmp_path / "repository").mkdir()
    text = with_leaderboard(readme_in(tmp_path / "repository"), "| table |", tmp_path / "mine")
    assert "](../mine/leaderboard.png)" in text and "](../mine/report.md)" in text


def test_the_readme_of_this_repository_has_such_links() -> None:
    text = (Path(__file__).parents[4] / "README.md").read_text(encoding="utf-8")
    block = text.split("<!-- leaderboard -->")[1].split("<!-- /leaderboard -->")[0]
    assert f"]({PICTURE})" in block and f"]({REPORT})" in block
