"""`activefs serve`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from activefs.cli._arguments import Data
from activefs.cli._cluster import Address, Workers, opened_cluster
from activefs.cli._progress import waiting
from activefs.cli._study_common import PREPARING, advice_for_studies


def serve(
    url: Annotated[
        str,
        typer.Argument(
            metavar="STUDY-OR-FOLDER",
            help="A file (SQLite), a folder of them, or a URL: postgresql://user@host/database",
        ),
    ],
    data: Data = None,
    host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port to listen on; 0: any free one.")] = 8000,
    root: Annotated[
        str, typer.Option("--root-path", metavar="PATH", help="Path below which a proxy serves it, such as /studies.")
    ] = "",
    tables: Annotated[
        Path | None,
        typer.Option(
            "--tables", help="Folder for tables of studies that are made on the page, if they are in a database."
        ),
    ] = None,
    max_upload: Annotated[
        int, typer.Option("--max-upload", min=1, metavar="MB", help="Megabytes that such a table may have.")
    ] = 200,
    webhooks: Annotated[
        list[str] | None,
        typer.Option(
            "--webhook",
            metavar="URL",
            help="Address that is told about milestones; may be given several times. What is sent is signed with a "
            "secret of at least 16 characters, from the environment variable ACTIVEFS_WEBHOOK_SECRET.",
        ),
    ] = None,
    secret_file: Annotated[
        Path | None,
        typer.Option("--webhook-secret-file", metavar="FILE", help="File that holds the secret instead."),
    ] = None,
    media: Annotated[
        Path | None,
        typer.Option("--media", metavar="DIR", help="Folder of the files that the columns of --show-media name."),
    ] = None,
    access_log: Annotated[
        bool, typer.Option("--access-log", help="Write a line for every request to the log, without secrets.")
    ] = False,
    address: Address = None,
    workers: Workers = None,
) -> None:
    """Serve a study in the browser, or all of a folder or database, and the REST API under /api/v1."""
    from activefs.web import run

    with advice_for_studies(), opened_cluster(address, workers) as cluster:
        run(
            url,
            data,
            host,
            port,
            waiting(PREPARING),
            root=root,
            tables=tables,
            max_upload=max_upload,
            media=media,
            webhooks=webhooks or (),
            secret_file=secret_file,
            access_log=access_log,
            cluster=cluster,
        )
