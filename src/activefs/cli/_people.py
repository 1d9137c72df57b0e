"""People with tokens, of a study or of a server: what the commands about them have in common."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from activefs.exceptions import InvalidInputError
from activefs.storages import Role, Storage

Link = Annotated[
    str | None,
    typer.Option("--link", metavar="URL", help="Address of the server: print a link to sign in with, too."),
]


def give_token(storage: Storage, name: str, role: Role, link: str | None) -> None:
    """Make a token, and show it once."""
    from activefs.study import join_link, new_annotator  # only whoever makes a token waits for what checks the name

    annotator, token = new_annotator(name, role)
    made = None if link is None else join_link(link, token)  # checked before anything is changed
    replaced = any(a.name == name for a in storage.annotators())
    storage.add_annotator(annotator)
    storage.close()
    note = " The old token works no more." if replaced else ""
    typer.echo(
        f"Token of {name} ({annotator.role.value}); it is shown only now, keep it as you keep a password.{note}",
        err=True,
    )
    typer.echo(token)
    if made is not None:
        typer.echo(f"Link to sign in with, which holds the token:\n{made}")


def show(storage: Storage, title: str) -> None:
    """List people."""
    table = Table(title=title)
    for heading in ("name", "role", "since"):
        table.add_column(heading)
    for annotator in storage.annotators():
        table.add_row(
            Text(annotator.name), annotator.role.value, annotator.created.astimezone().strftime("%Y-%m-%d %H:%M %Z")
        )
    storage.close()
    Console(highlight=False).print(table)


def take_away(storage: Storage, name: str, what: str, command: str) -> None:
    """Take a token away."""
    there = storage.remove_annotator(name)
    storage.close()
    if not there:
        raise InvalidInputError(f"there is no {what} {name!r}; see activefs {command} list")
    typer.echo(f"{name} cannot sign in any more; the answers stay.")
