"""Connections to Dask clusters."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any

from activefs.exceptions import ClusterError, MissingExtraError

__all__ = ["connect", "disconnect", "distributed", "start_threads", "start_workers", "workers_born_deaf"]

_CONNECT_SECONDS = 10
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
        _greet(address)
        return package.Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError, TimeoutError) as error:
        raise ClusterError(
            f"no dask scheduler answers at {address} ({type(error).__name__}): start one with 'dask scheduler', "
            "workers with 'dask worker ADDRESS', and pass the address that it prints"
        ) from error


def _greet(address: str) -> None:
    """Make sure that a scheduler is there: a client would wait forever for anybody else to say what it is."""
    package = distributed()
    import dask

    if dask.config.get("distributed.client.security-loader", None):
        return  # only a client knows how to speak with it

    async def greeted() -> None:
        keys = package.Security().get_connection_args("client")
        scheduler = package.core.rpc(address, connection_args=keys, timeout=_CONNECT_SECONDS)
        try:
            about = await asyncio.wait_for(scheduler.identity(), _CONNECT_SECONDS)
            if about["type"] != "Scheduler":
                raise ValueError(about["type"])
        finally:
            await scheduler.close_rpc()

    with ThreadPoolExecutor(1) as thread:  # a notebook has a loop of its own here
        thread.submit(asyncio.run, greeted()).result()


@contextmanager
def workers_born_deaf() -> Iterator[None]:
    """Hold Ctrl-C back while processes are started: they are deaf to it for life, and we get it right afterwards.

    Ctrl-C reaches every process of a terminal; only this one shall act on it, and it ends the others. Threads that are
    started here hand the same down to the processes that they start, whenever that is. SIGTERM, too, is heard by this
    process when all of them are there.
    """
    if sys.platform == "win32":  # where no signal can be held back
        yield
    else:
        heard: list[int] = []
        handlers = {}
        if threading.current_thread() is threading.main_thread():
            # What is blocked here may come in through a thread of another library; and who is half started cannot be
            # ended.
            for number in (signal.SIGINT, signal.SIGTERM):
                handlers[number] = signal.signal(number, lambda number, frame: heard.append(number))
        resource_tracker.ensure_running()  # it opens ears that it finds shut when it starts
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            for number, handler in handlers.items():
                signal.signal(number, signal.SIG_DFL if handler is None else handler)
            for one in dict.fromkeys(heard):
                signal.raise_signal(one)


def start_workers(n_workers: int) -> Any:
    """Start so many workers on this machine, each a process with one thread, and return a connection to them.

    They end when the connection is closed, or with this process.
    """
    distributed()
    import dask

    # Whoever dies is started again at once. Who dies twice within this time would be taken for lost, and not be.
    dask.config.set({"distributed.deploy.lost-worker-timeout": "1 day"})
    client = None
    try:
        with workers_born_deaf():
            client = _client_of(n_workers=n_workers, threads_per_worker=1, processes=True)
    except BaseException:  # what was held back until now
        if client is not None:
            disconnect(client)
        raise
    return client


def start_threads() -> Any:
    """Let threads of this process be the workers of a cluster, one per core, and return a connection to them."""
    # What is in this process may use its memory.
    return _client_of(n_workers=1, processes=False, memory_limit=0)


def _client_of(**how: Any) -> Any:
    package = distributed()
    # A worker that dies is started again, which is no news; whatever goes wrong for good is an error of ours.
    cluster = package.LocalCluster(dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL, **how)
    # This runs whenever Python collects garbage, and Ctrl-C that comes in such a moment would be lost.
    package.scheduler.disable_gc_diagnosis(force=True)
    return package.Client(cluster, set_as_default=False)


def disconnect(client: Any) -> None:
    """End a connection, and the workers that were started for it."""
    cluster = client.cluster
    client.close()
    if cluster is not None:
        cluster.close()
