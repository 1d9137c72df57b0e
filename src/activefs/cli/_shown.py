"""Text of others in a terminal."""

from __future__ import annotations

import unicodedata

from rich.text import Text


def shown(content: object, style: str = "") -> Text:
    r"""Make text of what a table holds: no markup, and no codes that a terminal would obey.

    Examples
    --------
    >>> shown("a\x1b[2Jb [bold]c").plain
    'a�[2Jb [bold]c'
    """
    safe = "".join(
        c if c in "\n\t" or unicodedata.category(c) != "Cc" else "\N{REPLACEMENT CHARACTER}" for c in str(content)
    )
    return Text(safe, style=style)
