"""Groups of commands whose code is imported when they are called, not when they are listed."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from activefs.cli._commands import Command, CommandGroup


def late_typer(group: CommandGroup, **options: Any) -> typer.Typer:
    """Make the application of a group: its commands are stand-ins that have a name and a line of help."""
    made = typer.Typer(
        name=group.name, help=group.help, no_args_is_help=True, cls=_class_for(group), add_completion=False, **options
    )
    made.callback()(_nothing)
    for member in group.members:
        if isinstance(member, CommandGroup):
            made.add_typer(late_typer(member))
        else:
            made.command(member.name, help=member.help)(_nothing)
    return made


def load(command: Command) -> Callable[..., Any]:
    """Import the function of a command.

    Examples
    --------
    >>> load(Command("list", "List the annotators.", "_study_annotators", "list_annotators")).__name__
    'list_annotators'
    """
    function: Callable[..., Any] = getattr(import_module(f"activefs.cli.{command.module}"), command.function)
    return function


def made(command: Command) -> Any:
    """Make the command itself, with its options.

    Examples
    --------
    >>> [parameter.name for parameter in made(Command("list", "", "_study_annotators", "list_annotators")).params]
    ['url']
    """
    alone = typer.Typer(add_completion=False)
    alone.command(command.name)(load(command))
    return get_command(alone)


class _LateGroup(TyperGroup):
    """Lists stand-ins, and calls the commands themselves."""

    late: dict[str, Command]
    default: str

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options of the group itself; those of its default command are for that one."""
        known = {*self.commands, *self.get_help_option_names(ctx)}
        if self.default and args and args[0] not in known:
            args = [self.default, *args]
        rest: list[str] = super().parse_args(ctx, args)
        return rest

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that is called; its own help is a call, too."""
        name, found, rest = super().resolve_command(ctx, args)
        if name in self.late:
            found = made(self.late[name])
        return name, found, rest


def _class_for(group: CommandGroup) -> type[_LateGroup]:
    late = {member.name: member for member in group.members if isinstance(member, Command)}
    return type("LateGroup", (_LateGroup,), {"late": late, "default": group.default})


def _nothing() -> None:
    """Stand in for a command."""
