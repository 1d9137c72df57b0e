"""Report (to come)."""

from activefs.study._engine import Engine
from activefs.study._status import Reader


def html_report(engine: Engine, reader: Reader) -> str:
    """Make the page."""
    return ""
