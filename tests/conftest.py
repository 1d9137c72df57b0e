import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from activefs._kernels import threads

sys.path.insert(0, str(Path(__file__).parent / "reference"))
collect_ignore_glob = ["reference/*", "golden/make_*", "golden/study-*"]  # programs, which looking for tests would run

# What is kept between processes goes to a folder of this test run, not to the user's; worker processes inherit it.
if "ACTIVEFS_CACHE_DIR" not in os.environ:
    os.environ["ACTIVEFS_CACHE_DIR"] = tempfile.mkdtemp(prefix="activefs-tests-")
    atexit.register(shutil.rmtree, os.environ["ACTIVEFS_CACHE_DIR"], ignore_errors=True)

# Nothing is timed in tests: compiling a kernel for the first time may take seconds.
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("default", PATIENT, derandomize=True)
settings.register_profile("search", PATIENT, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture
def shared_work(monkeypatch):
    """Divide all work among the threads, also what is too little to be worth it; gives the numbers of parts."""
    in_blocks, parts = threads.in_blocks, []

    def divided(work, size, workers, smallest):
        parts.append(min(workers, size))
        in_blocks(work, size, workers, 1)

    monkeypatch.setattr(threads, "in_blocks", divided)
    return parts


def pytest_terminal_summary(terminalreporter):
    """Print what tests measured (`record_property("measured", text)`), also when they ran in other processes."""
    reports = [report for some in terminalreporter.stats.values() for report in some]
    found = {value for r in reports for name, value in getattr(r, "user_properties", ()) if name == "measured"}
    for text in sorted(found):
        terminalreporter.write_line(f"measured: {text}")
