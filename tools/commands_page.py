"""Sphinx extension: the page of all commands, made from the commands themselves."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from activefs.cli import every_command

HEAD = """# Commands

Made from the commands themselves: `activefs COMMAND --help` says the same. Exit code 0 means done, 1 a failure, 2 wrong
use, 130 interrupted; errors are one or two lines, and a traceback is shown with `activefs --debug COMMAND` only.
"""


def commands_page() -> str:
    """Write all commands as Markdown.

    Examples
    --------
    >>> "## `activefs sample`" in commands_page()
    True
    """
    commands = list(every_command())
    table = ["| command | what it does |", "|---|---|"]
    for words, command in commands:
        first = plain(command.help).partition("\n\n")[0].replace("\n", " ")
        table.append(f"| [`{words}`](#activefs-{words.replace(' ', '-')}) | {first} |")
    return "\n".join([HEAD, *table, "", *(_section(words, command) for words, command in commands)])


def _section(words: str, command: Any) -> str:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and not p.hidden]
    usage = " ".join([f"activefs {words}", *map(_placeholder, arguments), "[OPTIONS]" if options else ""]).strip()
    lines = [f"## `activefs {words}`", "", plain(command.help), "", "```text", usage, "```", ""]
    if arguments:
        lines += [*(_described(_placeholder(a), a) for a in arguments), ""]
    if options:
        lines += [*(_described(_flags(o), o) for o in options), ""]
    return "\n".join(lines)


def _placeholder(argument: Any) -> str:
    name = (argument.metavar or argument.name).strip("{}[]").upper()
    name += "..." if argument.nargs == -1 else ""
    return name if argument.required else f"[{name}]"


def _flags(option: Any) -> str:
    flags = ", ".join([*option.opts, *option.secondary_opts])
    return flags if option.is_flag else f"{flags} {option.metavar or option.opts[0].strip('-').upper()}"


def _described(name: str, parameter: Any) -> str:
    more = [] if not (parameter.required and parameter.param_type_name == "option") else ["Required."]
    default = parameter.default
    told = "default" in (parameter.help or "").lower()
    if default not in (None, "", (), [], False) and not told:
        more.append(f"Default: `{default}`.")
    return f"`{name}`\n: {' '.join([plain(parameter.help), *more])}\n"


def plain(text: str | None) -> str:
    """Text of a terminal as Markdown: nothing in it is markup."""
    whole = inspect.cleandoc(text or "")
    for sign in "\\`*_<>[]{}$#|":
        whole = whole.replace(sign, f"\\{sign}")
    return whole


def _write(app: Sphinx) -> None:
    write_if_new(Path(app.srcdir) / "reference" / "commands.md", commands_page())


def write_if_new(path: Path, text: str) -> None:
    """Write a page; one that is as it was stays, so that it is not read again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the page before any is read."""
    app.connect("builder-inited", _write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
