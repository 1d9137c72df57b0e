"""`activefs study annotator add|list|remove`."""

from __future__ import annotations

from typing import Annotated

import typer

from activefs.cli._arguments import Url
from activefs.cli._people import Link, give_token, show, take_away
from activefs.storages import Role, Storage, open_storage, study_header

Name = Annotated[str, typer.Argument(help="Name of the annotator.")]


def add(
    url: Url,
    name: Name,
    owner: Annotated[
        bool, typer.Option("--owner", help="An owner may change everybody's answers and import labels.")
    ] = False,
    link: Link = None,
) -> None:
    """Give an annotator a personal token, which is shown once; a name that exists gets a new one."""
    give_token(_of_study(url), name, Role.OWNER if owner else Role.ANNOTATOR, link)


def list_annotators(url: Url) -> None:
    """List the annotators."""
    show(_of_study(url), "Annotators")


def remove(url: Url, name: Name) -> None:
    """Take an annotator's token away; the answers stay."""
    take_away(_of_study(url), name, "annotator", "study annotator")


def _of_study(url: str) -> Storage:
    storage = open_storage(url)
    study_header(storage)
    return storage
