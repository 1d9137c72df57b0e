"""`activefs study annotator add|list|remove`."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from activefs.cli._arguments import Url
from activefs.exceptions import InvalidInputError
from activefs.storages import Role, open_storage

Name = Annotated[str, typer.Argument(help="Name of the annotator.")]


def add(
    url: Url,
    name: Name,
    owner: Annotated[
        bool, typer.Option("--owner", help="An owner may change everybody's answers and import labels.")
    ] = False,
) -> None:
    """Give an annotator a personal token, which is shown once; a name that exists gets a new one."""
    from activefs.study import new_annotator  # only whoever makes a token waits for what checks its owner's name

    storage = open_storage(url)
    storage.header()
    annotator, token = new_annotator(name, Role.OWNER if owner else Role.ANNOTATOR)
    replaced = any(a.name == name for a in storage.annotators())
    storage.add_annotator(annotator)
    storage.close()
    note = " The old token works no more." if replaced else ""
    typer.echo(
        f"Token of {name} ({annotator.role.value}); it is shown only now, keep it as you keep a password.{note}",
        err=True,
    )
    typer.echo(token)


def list_annotators(url: Url) -> None:
    """List the annotators."""
    storage = open_storage(url)
    storage.header()
    table = Table(title="Annotators")
    for heading in ("name", "role", "since"):
        table.add_column(heading)
    for annotator in storage.annotators():
        table.add_row(
            Text(annotator.name), annotator.role.value, annotator.created.astimezone().strftime("%Y-%m-%d %H:%M %Z")
        )
    storage.close()
    Console(highlight=False).print(table)


def remove(url: Url, name: Name) -> None:
    """Take an annotator's token away; the answers stay."""
    storage = open_storage(url)
    storage.header()
    there = storage.remove_annotator(name)
    storage.close()
    if not there:
        raise InvalidInputError(f"there is no annotator {name!r}; see activefs study annotator list")
    typer.echo(f"{name} cannot sign in any more; the answers stay.")
