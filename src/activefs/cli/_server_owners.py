"""`activefs server owner add|list|remove`."""

from __future__ import annotations

from typing import Annotated

import typer

from activefs.catalog import some_catalog
from activefs.cli._people import Link, give_token, show, take_away
from activefs.exceptions import InvalidInputError
from activefs.storages import Role, Storage

Place = Annotated[
    str,
    typer.Argument(metavar="FOLDER-OR-URL", help="A folder of studies, or a database: postgresql://user@host/database"),
]
Name = Annotated[str, typer.Argument(help="Name of the owner.")]


def add(place: Place, name: Name, link: Link = None) -> None:
    """Give an owner of all studies a personal token, which is shown once; a name that exists gets a new one."""
    give_token(some_catalog(place).people(), name, Role.OWNER, link)


def list_owners(place: Place) -> None:
    """List the owners of a server."""
    show(_kept(place), "Owners of the server")


def remove(place: Place, name: Name) -> None:
    """Take an owner's token away; the answers stay."""
    take_away(_kept(place), name, "owner", "server owner")


def _kept(place: str) -> Storage:
    storage = some_catalog(place).keeper()
    try:
        storage.header()
    except InvalidInputError:
        raise InvalidInputError(
            f"nobody owns a server of the studies in {place} yet: activefs server owner add {place} NAME"
        ) from None
    return storage
