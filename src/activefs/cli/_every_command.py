"""All commands, for pages and tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from activefs.cli._commands import COMMANDS, CommandGroup
from activefs.cli._late import made


def every_command() -> Iterator[tuple[str, Any]]:
    """Walk through all commands: what is typed after `activefs`, and the command of typer with its options.

    Examples
    --------
    >>> [words for words, _ in every_command()][:3]
    ['demo', 'sample', 'select']
    """
    yield from _below(COMMANDS, ())


def _below(group: CommandGroup, before: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    for member in group.members:
        if isinstance(member, CommandGroup):
            yield from _below(member, (*before, member.name))
            continue
        words = before if member.name == group.default else (*before, member.name)
        yield " ".join(words), made(member)
