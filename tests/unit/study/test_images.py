"""Studies of images: in the report, over HTTP and in the terminal."""

import base64
import io
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from asked import asked
from at_home import at_home
from PIL import Image
from searched import found_in

from activefs import Study
from activefs.cli import main
from activefs.exceptions import InvalidInputError
from activefs.storages import MemoryStorage
from activefs.study import Person, create_engine
from activefs.web import create_app

RNG = np.random.default_rng(0)
PIXELS = RNG.integers(0, 5, size=(80, 12))
NAMES = [f"pixel {i}" for i in range(12)]
OPTIONS: dict[str, Any] = {
    "k": 2,
    "classes": ["dark", "light"],
    "strategy": "afs",
    "random_state": 0,
    "when_certified": "continue",
}
ANA = Person("ana")


def answered(**options):
    """A study in which pixels 5 and 6 tell the class, after thirty answers."""
    engine = create_engine(MemoryStorage(), pd.DataFrame(PIXELS, columns=NAMES), **OPTIONS, **options)
    for _ in range(30):
        question = asked(engine, ANA)
        engine.answer(ANA, question.id, "light" if PIXELS[question.row, 5:7].sum() > 4 else "dark")
    return engine


@pytest.fixture
def engine():
    engine = answered(show_image="3x4")
    yield engine
    engine.close()


def opened(url):
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(url.removeprefix("data:image/png;base64,")))))


def test_pictures_are_dark_on_light_and_use_all_shades(engine):
    assert engine.table.image_of(3).tolist() == (255 - np.round(PIXELS[3] * 255 / 4)).reshape(3, 4).tolist()


def test_over_http(engine):
    client = at_home(create_app(engine))
    question = client.post("/api/v1/questions").json()["questions"][0]
    assert opened(question["image"]).tolist() == engine.table.image_of(int(question["row"])).tolist()
    found = client.get("/api/v1/study").json()["pixels"]
    assert (found["height"], found["width"]) == (3, 4)
    assert np.array_equal(opened(found["mean"]), np.round(engine.table.mean_image()[0]))
    spots = {spot["rank"]: 4 * spot["row"] + spot["column"] for spot in found["spots"]}
    assert spots == {place.rank: int(place.name.split()[1]) for place in Study(engine).status().places}


def test_the_report_shows_the_chosen_pixels(engine):
    with Study(engine) as images, Study(answered()) as numbers:
        shown, without = (study.report().count("data:image/png;base64,") for study in (images, numbers))
    assert shown == without + 1


def test_in_the_terminal(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(PIXELS, columns=NAMES).to_csv("t.csv", index=False)
    options = ["--k", "2", "--budget", "9", "--show-image", "3x4", "--classes", "dark,light", "--seed", "0"]
    assert main(["study", "create", "s.db", "--data", "t.csv", *options]) == 0
    capsys.readouterr()
    monkeypatch.setattr(sys, "stdin", io.StringIO("q\n"))
    assert main(["study", "label", "s.db"]) == 0
    shown = capsys.readouterr().out.splitlines()
    row = int(found_in(shown[0], r"row (\d+)"))
    shades = " .:-=+*#%@"
    grey = (255 - np.round(PIXELS[row] * 255 / 4)).reshape(3, 4)
    expected = ["".join(shades[9 - int(v) * 10 // 256] * 2 for v in line) for line in grey]
    assert [line.rstrip() for line in shown[1:4]] == [line.rstrip() for line in expected]


@pytest.mark.parametrize(
    ("change", "said"),
    [({"show_image": "5x5"}, "25 pixels, but the table has 12"), ({"show_image": "3x4", "text": True}, "numbers")],
)
def test_what_cannot_be_an_image(change, said):
    table = pd.DataFrame(PIXELS, columns=NAMES)
    if change.pop("text", False):
        table["pixel 3"] = "black"
        table.loc[0, "pixel 3"] = "white"
    with pytest.raises(InvalidInputError, match=said):
        create_engine(MemoryStorage(), table, **OPTIONS, **change)
