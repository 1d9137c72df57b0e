"""The page of a new study in a real Chromium: a table that is not read as it should be, and all that is said."""

import pytest
from machines import PATIENCE
from playwright.sync_api import expect
from servers import served

from activefs import Study

expect.set_options(timeout=1000 * PATIENCE)
SIZES = {"laptop": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}


@pytest.mark.parametrize("size", SIZES)
def test_read_again_fill_in_and_make(size, new_page, tmp_path):
    table = tmp_path / "patients.csv"
    table.write_text(
        "patient^age^sex^photo\n" + "".join(f"P{i}^{20 + i % 50}^{'fm'[i % 2]}^p{i}.png\n" for i in range(90))
    )
    folder = tmp_path / "studies"
    folder.mkdir()
    with served(str(folder)) as server:
        page = new_page(viewport=SIZES[size])
        page.goto(server.start_address())
        page.goto(f"{server.base}/new")
        page.set_input_files("#table", str(table))
        page.get_by_role("button", name="Send and look at it").click()
        expect(page.get_by_text("90 rows, 1 columns")).to_be_visible()
        page.get_by_label("Instructions").fill("# Look twice\n\n*Then* answer.")
        page.get_by_label("Classes, one per line").fill("healthy\nill")
        page.get_by_text("Not read as it should be?").click()
        page.get_by_label("Encoding").fill("klingon")
        page.get_by_role("button", name="Read it again").click()
        expect(page.get_by_role("alert")).to_contain_text("'Encoding' must be the name of an encoding")
        expect(page.get_by_label("Encoding")).to_have_value("klingon")
        page.get_by_label("Encoding").fill("")
        page.get_by_label("Between columns").fill("^")
        page.get_by_label("Between columns").press("Enter")  # makes nothing yet
        expect(page.get_by_text("90 rows, 4 columns")).to_be_visible()
        expect(page.get_by_label("Instructions")).to_have_value("# Look twice\n\n*Then* answer.")
        assert page.evaluate("document.documentElement.scrollWidth") == SIZES[size]["width"]
        page.get_by_label("What the classes mean").fill("ill: at least one of the signs")
        page.get_by_label("Rows with a second answer").fill("100")
        page.get_by_label("Column of images, sound or videos").select_option(label="photo")
        page.get_by_label("Features wanted").fill("1")
        page.get_by_label("Name in the address").fill("heart")
        page.get_by_label("Name in the address").press("Enter")
        expect(page.get_by_role("heading", name="Progress")).to_be_visible()
        page.goto(f"{server.base}/s/heart/")
        expect(page.get_by_role("heading", name="Look twice")).to_be_visible()
        expect(page.get_by_text("at least one of the signs").first).to_be_attached()
    with Study.open(folder / "heart.db") as study:
        settings = study.engine.settings
        assert (settings.sep, settings.overlap, settings.show_media) == ("^", 1.0, ("photo",))
        assert study.pool.names == ("age", "sex")
