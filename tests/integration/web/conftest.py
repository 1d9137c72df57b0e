import numpy as np
import pytest
from machines import PATIENCE, chromium_path

from activefs.study._tokens import new_annotator


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    # Chromium refuses to run as root with its sandbox.
    own = {"executable_path": chromium_path(), "args": ["--no-sandbox"], "timeout": 1000 * PATIENCE}
    return {**browser_type_launch_args, **own}


@pytest.fixture
def new_page(browser):
    """A page that fails the test if its scripts fail, or if the content security policy has to step in."""
    complaints, contexts = [], []

    def make(**options):
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda line: complaints.append(line.text) if "Security Policy" in line.text else None)
        page.set_default_timeout(1000 * PATIENCE)
        return page

    yield make
    for context in contexts:  # pages that stay open go on asking a server that is gone
        context.close()
    assert complaints == []


@pytest.fixture
def table(tmp_path):
    """A table in a file, with content that must not be taken for HTML."""
    rng = np.random.default_rng(0)
    lines = ["patient,age,sex,marker,note"]
    for i in range(150):
        note = f"<script>alert({i})</script> & so on"
        lines.append(f"P{i:03d},{rng.integers(20, 80)},{'fm'[i % 2]},{rng.integers(4)},{note}")
    path = tmp_path / "patients.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def add_annotator():
    def add(storage, name, **options):
        annotator, token = new_annotator(name, **options)
        storage.add_annotator(annotator)
        return token

    return add
