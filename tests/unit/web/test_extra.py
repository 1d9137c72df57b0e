"""Without the packages of the extra, its door says which one to install."""

import subprocess
import sys

WITHOUT = """
import sys
sys.modules["fastapi"] = None
from activefs.exceptions import MissingExtraError
try:
    from activefs.web import create_app
except MissingExtraError as error:
    print(error)
"""


def test_the_door_names_the_extra():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("(fastapi): run pip install 'activefs[web]'")
