"""Where shards run: processes of this machine, or the workers of a dask cluster."""

from __future__ import annotations

import signal
from collections.abc import Generator, Sequence
from typing import Any, Protocol, TypeVar

import joblib

from activefs.clusters import connect, distributed, workers_born_deaf
from activefs.exceptions import ActiveFSError
from activefs.runs._sources import Source


class Shard(Protocol):
    """What an engine runs at a time, in one process: work items that are computed together."""

    @property
    def source(self) -> Source | None:
        """The data set of all its items, if they need one."""

    @property
    def items(self) -> tuple[Any, ...]:
        """What it computes: things that a store keeps."""

    @property
    def weight(self) -> float:
        """About how long it takes, in microseconds."""

    def run(self) -> list[Any]:
        """Compute the items, in their order."""


S = TypeVar("S", bound=Shard)
Done = Generator[tuple[S, list[Any]], None, None]

# A shard that was on a worker that died is tried again elsewhere this often.
_RETRIES = 5


def _run(shard: S) -> tuple[S, list[Any]]:
    return shard, shard.run()


def on_this_machine(shards: Sequence[S], jobs: int) -> Done[S]:
    """Run shards in `jobs` processes; results come as they are ready."""
    if jobs == 1 or len(shards) == 1:
        yield from map(_run, shards)
        return
    # Ctrl-C reaches every process of a terminal; only this one shall act on it, and it stops the others.
    parallel = joblib.Parallel(
        n_jobs=jobs, return_as="generator_unordered", pre_dispatch="2*n_jobs", batch_size=1, backend="loky",
        initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN),
    )  # fmt: skip
    with workers_born_deaf():
        results = parallel(joblib.delayed(_run)(shard) for shard in shards)
    try:
        yield from results
    finally:
        results.close()


def on_cluster(shards: Sequence[S], address: str) -> Done[S]:
    """Run shards on the workers of a dask scheduler; those of a worker that dies are run by another one.

    The workers need activefs, and the data sets or a way to download them. Results come back to this
    process, which keeps them: the workers need no common folder.
    """
    client = connect(address)
    try:
        # Shards are functions of their content; names of their own keep two runs apart.
        futures = client.map(_run, shards, pure=False, retries=_RETRIES, batch_size=200)
        for future in distributed().as_completed(futures, loop=client.loop):
            try:
                yield future.result()
            except distributed().KilledWorker as error:
                raise ActiveFSError(
                    f"a shard was lost with its worker several times: {error}. Look into the workers' logs (memory?)"
                ) from error
            future.release()
    finally:
        client.close()
