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
