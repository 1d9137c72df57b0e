"""A real kernel: a bar while something takes long, which is gone afterwards, and what objects show of themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

jupyter_client = pytest.importorskip("jupyter_client", reason="needs a kernel: pip install ipykernel")
pytest.importorskip("ipykernel", reason="needs a kernel: pip install ipykernel")


@dataclass
class Ran:
    """What a cell made the notebook show, in order; displays by their id."""

    shown: list[tuple[str, str]] = field(default_factory=list)
    """Kind of message, and HTML."""
    displays: set[str] = field(default_factory=set)
    printed: str = ""

    @property
    def bars(self) -> list[str]:
        return [html for kind, html in self.shown if "<progress" in html]


class Notebook:
    def __init__(self, client: Any) -> None:
        self._client = client

    def run(self, code: str) -> Ran:
        sent = self._client.execute(code, store_history=False)
        ran = Ran()
        while True:
            message = self._client.get_iopub_msg(timeout=120)
            if message["parent_header"].get("msg_id") != sent:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "status" and content["execution_state"] == "idle":
                return ran
            assert kind != "error", "\n".join(content["traceback"])
            if kind == "stream":
                ran.printed += content["text"]
            elif "data" in content:
                ran.shown.append((kind, content["data"].get("text/html", content["data"].get("text/plain", ""))))
                ran.displays |= {content.get("transient", {}).get("display_id", "")}


@pytest.fixture(scope="module")
def notebook() -> Iterator[Notebook]:
    manager, client = jupyter_client.manager.start_new_kernel(startup_timeout=120)
    try:
        made = Notebook(client)
        made.run("import time\nfrom activefs.notebook import notebook_bar")
        yield made
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


LONG = """
with notebook_bar("counting") as told:
    told("counting", 0.25)
    time.sleep(1.4)
    told("counting <again>", 0.75)
    time.sleep(0.5)
"""


def test_a_bar_says_how_far_it_is_and_is_gone_afterwards(notebook):
    ran = notebook.run(LONG)
    assert "value=&quot;0.250" in ran.bars[0] or 'value="0.250"' in ran.bars[0]
    assert "Counting &lt;again&gt;: 75%" in ran.bars[-1] and "<again>" not in ran.bars[-1]
    assert ran.shown[0][0] == "display_data"
    assert {kind for kind, _ in ran.shown[1:]} == {"update_display_data"}
    assert ran.shown[-1][1] == "" and len(ran.displays) == 1


def test_what_is_quick_shows_none(notebook):
    ran = notebook.run('with notebook_bar("counting") as told:\n    told("counting", 0.5)')
    assert ran.shown == []


def test_bars_of_one_cell_take_one_place(notebook):
    ran = notebook.run(LONG + LONG)
    assert [kind for kind, _ in ran.shown].count("display_data") == 1 and len(ran.displays) == 1


def test_a_block_inside_another_tells_the_bar_of_the_outer_one(notebook):
    ran = notebook.run(
        'with notebook_bar("outer"):\n    with notebook_bar("inner") as told:\n        time.sleep(1.5)\n'
        '        told("inner", None)\n    time.sleep(0.4)'
    )
    assert "Inner" in ran.bars[0] and [kind for kind, _ in ran.shown].count("display_data") == 1


def test_it_is_gone_after_an_error_too(notebook):
    ran = notebook.run(
        "try:\n    with notebook_bar('failing'):\n        time.sleep(1.4)\n        1 / 0\n"
        "except ZeroDivisionError:\n    pass"
    )
    assert ran.bars and ran.shown[-1][1] == ""
    assert notebook.run(LONG).bars, "and the next cell has one again"


def test_threads_and_other_processes_show_none(notebook):
    ran = notebook.run(
        "import threading\nfound = []\n"
        "def inside():\n    with notebook_bar('elsewhere') as told:\n"
        "        found.append(told)\n        time.sleep(1.3)\n"
        "thread = threading.Thread(target=inside); thread.start(); thread.join()\nprint(found)"
    )
    assert ran.printed == "[None]\n" and ran.shown == []


def test_fitting_shows_how_many_labels_there_are(notebook):
    ran = notebook.run(
        "import numpy as np\nfrom activefs import ActiveFeatureSelector\n"
        "rng = np.random.default_rng(0)\nX = rng.integers(0, 3, size=(200, 5))\n"
        "def slowly(row):\n    time.sleep(0.2)\n    return int(X[row, 1] > 0)\n"
        "ActiveFeatureSelector(k=2, budget=12, strategy='random', random_state=0).fit(X, oracle=slowly); None"
    )
    assert any("12 labels" in bar for bar in ran.bars) and ran.shown[-1][1] == ""


def test_objects_show_themselves(notebook):
    notebook.run(
        "import numpy as np\nfrom activefs import Session, Study\nfrom activefs.storages import MemoryStorage\n"
        "rng = np.random.default_rng(0)\nX = rng.integers(0, 3, size=(200, 5))\n"
        "session = Session(X, k=2, budget=40, random_state=0)\nsession.tell(range(30), (X[:30, 1] > 0).tolist())\n"
        "study = Study.create(MemoryStorage(), X, k=2, budget=40, random_state=0, title='<b>eyes')\n"
        "study.tell(range(30), (X[:30, 1] > 0).tolist())"
    )
    for what, words in {
        "session": "Session: 2 of 5 features wanted",
        "session.selection()": "2 features, ",
        "study": "Study <b>&lt;b&gt;eyes</b>: 2 of 5 features wanted",
        "session.selection().curve()": "of all columns",
    }.items():
        kind, html = notebook.run(what).shown[-1]
        assert kind == "execute_result" and words in html and html.count("<table") == 1
