"""Take the pictures of pages that the guide shows, from a study that is made for them.

    ACTIVEFS_TEST_CHROMIUM=/usr/bin/chromium python -m tools.screenshots docs/guide/pictures

Names, rows and answers are the same each time; only dates differ.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright
from pyarrow import csv

from activefs import Study
from activefs.datasets import sample_table

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
QUESTION = "What is this tumour?"
INSTRUCTIONS = (
    "Look at the **shape** of the nuclei first. If in doubt, say *cannot tell*: nobody is rewarded for guessing."
)
SHOWN = ("mean_radius", "mean_texture", "mean_smoothness", "mean_concavity", "worst_radius", "worst_area")


@dataclass(frozen=True)
class Camera:
    """What takes pictures of a server, each in light and in dark; `folder` is where they are put."""

    browser: Browser
    folder: Path
    address: str

    @contextmanager
    def page(
        self, start: str, scheme: Literal["light", "dark"], width: int = 1000, height: int = 700
    ) -> Iterator[Page]:
        """Sign in as whoever has the link, with a browser that is so wide."""
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, device_scale_factor=1.5
        )
        page = context.new_page()
        page.goto(f"{self.address}/{start}")
        page.get_by_role("button", name="Sign out").wait_for()
        yield page
        context.close()

    def take(
        self,
        name: str,
        start: str,
        path: str = "",
        *,
        width: int = 1000,
        height: int = 700,
        begin: str = "",
        shown: str = "",
    ) -> None:
        """Take a picture of an address, from the text `begin` on, once the text `shown` is there."""
        for scheme in SCHEMES:
            with self.page(start, scheme, width, height) as page:
                if path:
                    page.goto(f"{self.address}/{path}")
                if shown:
                    page.get_by_text(shown).first.wait_for()
                if begin:
                    page.get_by_role("heading", name=begin).evaluate(
                        "e => scrollTo(0, e.getBoundingClientRect().top - 30)"
                    )
                self._keep(page, f"{name}-{scheme}")

    def take_upload(self, name: str, start: str, table: Path, *, height: int) -> None:
        """Take a picture of how a table is understood that was sent for a new study."""
        for scheme in SCHEMES:
            with self.page(start, scheme, 1000, height) as page:
                page.goto(f"{self.address}/new")
                page.set_input_files("#table", table)
                page.get_by_role("button", name="Send and look at it").click()
                page.get_by_text("569 rows").wait_for()
                self._keep(page, f"{name}-{scheme}")

    def _keep(self, page: Page, name: str) -> None:
        page.wait_for_timeout(1000)  # what is still drawn
        picture = Image.open(io.BytesIO(page.screenshot()))
        picture.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(self.folder / f"{name}.png", optimize=True)


def make_studies(folder: Path) -> dict[str, str]:
    """Make three studies with people and answers; returns how who signs in."""
    patients = sample_table()
    diagnosis = patients["diagnosis"].to_pylist()
    csv.write_csv(patients, folder / "patients.csv")
    tokens = {"olga": _added("server", "owner", "add", folder, "olga")}
    for name, title, budget, labels in (
        ("tumours", "Tumours", 60, 41),
        ("second-hospital", "Second hospital", 20, 20),
        ("texture", "Texture only", 40, 0),
    ):
        study = Study.create(
            folder / f"{name}.db",
            folder / "patients.csv",
            k=5,
            budget=budget,
            id_column="patient",
            ignore=["diagnosis"],
            classes=["benign", "malignant"],
            show=SHOWN,
            title=title,
            question=QUESTION,
            instructions=INSTRUCTIONS,
            random_state=0,
        )
        study.close()
        for who in ("ana", "tom"):
            tokens[f"{name} {who}"] = _added("study", "annotator", "add", folder / f"{name}.db", who)
        for number in range(labels):
            with Study.open(folder / f"{name}.db", annotator=("ana", "tom")[number % 3 == 0]) as study:
                row = study.ask()
                study.tell(row, diagnosis[row])
    return tokens


def _added(*command: object) -> str:
    words = [sys.executable, "-m", "activefs", *map(str, command)]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve the studies of a folder on a free port, and give the address."""
    words = [sys.executable, "-m", "activefs", "serve", str(folder), "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        assert server.stdout is not None
        for line in server.stdout:
            if found := re.search(r"http://[\d.]+:\d+", line):
                break
        else:
            raise SystemExit("the server has ended")
        try:
            yield found[0]
        finally:
            server.terminate()


def main() -> None:
    """Take all pictures."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    chromium = os.environ.get("ACTIVEFS_TEST_CHROMIUM")
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        tokens = make_studies(Path(place))
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        with served(Path(place)) as address:
            camera = Camera(browser, folder, address)
            ana, olga = (f"join#{tokens[who]}" for who in ("tumours ana", "olga"))
            camera.take("label", f"s/tumours/{ana}", height=740)
            camera.take("label-phone", f"s/tumours/{ana}", width=390, height=760)
            study = (f"s/tumours/{ana}", "s/tumours/study")
            camera.take("study", *study, height=985, shown="The top 5 so far")
            camera.take("study-outlook", *study, height=930, begin="When will it be done?", shown="of what all columns")
            camera.take("answers", f"s/tumours/{ana}", "s/tumours/answers", height=620)
            camera.take("studies", olga, height=500)
            camera.take_upload("new-study", olga, Path(place) / "patients.csv", height=640)


if __name__ == "__main__":
    main()
