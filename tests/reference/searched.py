"""Looking for something in a text that must be there."""

import re


def found_in(text: str, pattern: str) -> str:
    """The first group of a pattern, where it occurs first."""
    found = re.search(pattern, text)
    assert found is not None, f"{pattern} does not occur in: {text}"
    return str(found[1])
