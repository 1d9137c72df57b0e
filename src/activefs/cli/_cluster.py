"""The options of commands that may use a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from activefs.cli._terminated import ending_in_order
from activefs.exceptions import InvalidInputError

if TYPE_CHECKING:
    from activefs.pool import Cluster

Address = Annotated[
    str | None,
    typer.Option(
        "--cluster", metavar="ADDRESS", help="Address of a Dask scheduler: its workers keep the table. Default: none."
    ),
]
Workers = Annotated[
    int | None,
    typer.Option("--workers", metavar="N", help="Start so many workers on this machine, which keep the table."),
]


@contextmanager
def opened_cluster(address: str | None, workers: int | None) -> Iterator[Cluster | None]:
    """Connect to a cluster, or start one, and end it; None if neither is wanted.

    Raises
    ------
    InvalidInputError
        If both are wanted, or fewer than one worker.
    ClusterError
        If no scheduler answers at the address.
    """
    if address is not None and workers is not None:
        raise InvalidInputError(
            "give either --cluster ADDRESS or --workers N: the workers of a cluster are started there"
        )
    if workers is not None and workers < 1:
        raise InvalidInputError(f"--workers must be at least 1; got {workers}")
    if address is None and workers is None:
        yield None
        return
    from activefs.clusters import start_workers
    from activefs.pool import Cluster

    with ending_in_order():
        cluster = Cluster.at(address) if address is not None else Cluster(start_workers(workers or 1))
        try:
            yield cluster
        finally:
            cluster.close()
