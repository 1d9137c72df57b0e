"""Connections to Dask clusters."""

from __future__ import annotations

import logging
from typing import Any

from activefs.exceptions import ClusterError, MissingExtraError

__all__ = ["connect", "distributed", "start_threads", "start_workers"]

_CONNECT_SECONDS = 30
# They write tracebacks when a scheduler is gone, which is an error of ours for whoever waits for it, in one sentence.
_TALKATIVE = ("distributed.client", "distributed.comm", "distributed.core", "distributed.utils")


def distributed() -> Any:
    """Return the package `distributed`.

    Raises
    ------
    MissingExtraError
        If it is not installed.
    """
    try:
        import distributed as found
    except ImportError as error:
        raise MissingExtraError(
            f"a cluster needs dask.distributed, which is not installed ({error}): pip install 'activefs[dask]'"
        ) from error
    return found


def connect(address: str) -> Any:
    """Connect to the scheduler at an address.

    Raises
    ------
    ClusterError
        If none answers.
    """
    package = distributed()
    from distributed.comm.addressing import get_address_host

    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        get_address_host(address)  # a connection that cannot even be begun would be waited for when Python ends
        return package.Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise ClusterError(
            f"no dask scheduler answers at {address} ({type(error).__name__}): start one with 'dask scheduler', "
            "workers with 'dask worker ADDRESS', and pass the address that it prints"
        ) from error


def start_workers(n_workers: int) -> Any:
    """Start so many workers on this machine, each a process with one thread, and return a connection to them.

    They end when the connection is closed, or with this process.
    """
    return _client_of(n_workers=n_workers, threads_per_worker=1, processes=True)


def start_threads() -> Any:
    """Let threads of this process be the workers of a cluster, one per core, and return a connection to them."""
    # What is in this process may use its memory.
    return _client_of(n_workers=1, processes=False, memory_limit=0)


def _client_of(**how: Any) -> Any:
    package = distributed()
    # A worker that dies is started again, which is no news; whatever goes wrong for good is an error of ours.
    cluster = package.LocalCluster(dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL, **how)
    return package.Client(cluster, set_as_default=False)
