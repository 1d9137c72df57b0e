"""Text of others in a terminal."""

from __future__ import annotations

import unicodedata

from rich.text import Text

# They turn the order of what follows on the screen around.
_DIRECTIONS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def shown(content: object, style: str = "") -> Text:
    r"""Make text of what a table holds: no markup, and no codes that a terminal would obey.

    Examples
    --------
    >>> shown("a\x1b[2Jb [bold]c").plain
    'a�[2Jb [bold]c'
    """
    safe = "".join(
        c if c in "\n\t" or (unicodedata.category(c) != "Cc" and c not in _DIRECTIONS) else "\N{REPLACEMENT CHARACTER}"
        for c in str(content)
    )
    return Text(safe, style=style)
