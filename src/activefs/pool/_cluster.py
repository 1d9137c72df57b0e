"""The workers of a Dask cluster, and what happens when they are gone."""

from __future__ import annotations

import time
import warnings
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from activefs.clusters import connect, disconnect, distributed, start_threads
from activefs.exceptions import ActiveFSError, ClusterError, InvalidInputError
from activefs.pool._placing import forget_the_past, free_stuck_tasks
from activefs.pool._shard import ask_shard

_LOOK_SECONDS = 2.0
"""How often it is looked whether anybody is still there, while answers are waited for."""
_REPORT_SECONDS = 0.25
_ANSWER_SECONDS = 1.0

Report = Callable[[int, int], None]
"""Is told how many of how many tasks are done."""


class Cluster:
    """A connection to a Dask scheduler.

    Given to :func:`read_pool`, its workers read and keep a table. :meth:`at` connects to one by its address,
    :meth:`present` returns the one that this process is connected to.

    Parameters
    ----------
    client : distributed.Client
        The connection.

    Notes
    -----
    Guide: :doc:`/guide/large-pools`. Needs ``pip install 'activefs[dask]'``.
    """

    NOBODY_SECONDS = 60.0
    """How long a cluster may be without workers: whoever starts new ones needs a moment."""

    _threads: weakref.ref[Cluster] | None = None

    def __init__(self, client: Any) -> None:
        self.client = client
        self._address = str(client.scheduler.address)

    @classmethod
    def at(cls, address: str) -> Cluster:
        """Connect to the scheduler at an address; on one of its workers, use the connection that this has.

        Parameters
        ----------
        address : str
            Such as ``tcp://scheduler:8786``.

        Returns
        -------
        Cluster
            The connection.

        Raises
        ------
        ClusterError
            If none answers.
        """
        with suppress(ValueError):  # there is none yet
            client = distributed().get_client()
            if client.status == "running" and client.scheduler.address == address:
                return cls(client)
        return cls(connect(address))

    @classmethod
    def present(cls) -> Cluster:
        """Return the cluster that this process is connected to; if there is none, threads of this process are one.

        These end when nobody uses them any more.

        Returns
        -------
        Cluster
            That of the newest `distributed.Client` of the process.
        """
        try:
            return cls(distributed().default_client())
        except ValueError:
            pass
        found = None if Cluster._threads is None else Cluster._threads()
        if found is None or found.client.status != "running":
            client = start_threads()
            found = cls(client)
            weakref.finalize(found, disconnect, client)
            Cluster._threads = weakref.ref(found)
        return found

    @property
    def address(self) -> str:
        """Where the scheduler is."""
        return self._address

    @property
    def n_threads(self) -> int:
        """Threads of all workers together."""
        return len(self.places())

    def places(self) -> list[str]:
        """Return the address of a worker for each of its threads, one worker after the other.

        Raises
        ------
        ClusterError
            If there has been no worker for a minute.
        """
        since = time.monotonic()
        while not (workers := self._workers()):
            if time.monotonic() - since > self.NOBODY_SECONDS:
                raise self._gone(self._nobody())
            time.sleep(0.1)
        return [address for address, worker in workers.items() for _ in range(max(1, int(worker["nthreads"])))]

    def check_workers(self) -> None:
        """Make sure that workers can do what they are going to be asked.

        One that lacks this package would not refuse its task, but die of it, as would all the others.

        Raises
        ------
        ClusterError
            If one has another version of it, or none.
        """
        places, look = dict.fromkeys(self.places()), _look_for_package()
        found, ours = self.results([self.submit(look, at=place) for place in places]), look()
        for place, theirs in zip(places, found, strict=True):
            if theirs != ours:
                raise ClusterError(
                    f"the worker at {place} has {theirs}, but this process has {ours}: install the same version for "
                    "all workers, and start them again"
                )

    def close(self) -> None:
        """End the connection, and the workers that were started for it."""
        disconnect(self.client)

    # --- tasks ---

    def submit(self, function: Callable[..., Any], *arguments: Any, at: str) -> Any:
        """Let a worker do something, another one if it is gone; return a future.

        Parameters
        ----------
        function : callable
            What is done; it must be possible to pickle it.
        *arguments
            What it is called with.
        at : str
            Address of the worker.
        """
        return self._sent(
            lambda: self.client.submit(function, *arguments, pure=False, workers=[at], allow_other_workers=True)
        )

    def compute(self, tasks: Sequence[Any], at: str | None = None) -> list[Any]:
        """Let workers do what Dask has put off, one of them all of it if that is wanted; return futures.

        Parameters
        ----------
        tasks : sequence of Delayed
            What is to be done.
        at : str, optional
            Address of the one worker that does it.
        """
        if not tasks:
            return []
        where = {} if at is None else {"workers": [at], "allow_other_workers": True}
        with warnings.catch_warnings():  # a collection that was made of data in memory is large: people know
            warnings.filterwarnings("ignore", "Sending large graph")
            futures: list[Any] = self._sent(lambda: self.client.compute(list(tasks), **where))
        return futures

    def ask(self, shards: Sequence[Any], what: str, arguments: Sequence[tuple[Any, ...]], shared: Any = None) -> Any:
        """Ask shards, all at once, and return their answers in the same order: one round trip.

        Parameters
        ----------
        shards : sequence of futures
            Whom.
        what : str
            A method of `PoolShard`.
        arguments : sequence of tuples
            Its arguments, for each shard.
        shared : object, optional
            An argument before these, the same for all.

        Raises
        ------
        ClusterError
            If the cluster is gone, or if rows that were lost with a worker cannot be computed again.
        """
        before = () if shared is None else (shared,)
        if any(shard.status != "finished" for shard in shards):  # since the last question
            self._on_scheduler(forget_the_past, [shard.key for shard in shards])
        started = time.monotonic()
        futures = self._sent(
            lambda: [
                self.client.submit(ask_shard, shard, what, *before, *own, pure=False)
                for shard, own in zip(shards, arguments, strict=True)
            ]
        )
        self._wait(futures)
        for error in _errors_of(shards):
            if isinstance(error, ClusterError):
                raise error
            if isinstance(error, distributed().KilledWorker):
                raise self._killed(error) from error
            raise ClusterError(
                "rows of the table were lost with their worker and cannot be computed again "
                f"({_in_words(error)}). {_KEPT}"
            ) from error
        found = self.results(futures)
        if time.monotonic() - started > _LOOK_SECONDS:  # maybe since something happened meanwhile
            self._on_scheduler(forget_the_past, [shard.key for shard in shards])
        return found

    def keep(self, futures: Sequence[Any]) -> None:
        """Wait until tasks are done; their results stay where they are, and any worker may compute them again.

        Parameters
        ----------
        futures : sequence of Future
            The tasks.
        """
        self._settle(futures)
        self._on_scheduler(forget_the_past, [future.key for future in futures])

    def results(
        self, futures: Sequence[Any], report: Report | None = None, origins: Sequence[str] | None = None
    ) -> list[Any]:
        """Wait for results; what was lost with a worker is computed again elsewhere.

        Parameters
        ----------
        futures : sequence of futures
            Of what.
        report : callable, optional
            Is told how many are done.
        origins : sequence of str, optional
            What people call the parts of a table that are computed.

        Raises
        ------
        ClusterError
            If the scheduler is gone, or if there has been no worker for a minute.
        InvalidInputError
            If a part of the table cannot be computed.
        """
        self._settle(futures, report, origins)
        found: list[Any] = self._sent(lambda: self.client.gather(list(futures)))
        return found

    # --- inside ---

    def _sent(self, send: Callable[[], Any]) -> Any:
        """Talk to the scheduler; what goes wrong is that it is gone."""
        if self.client.status != "running":
            raise self._gone(_SILENT)
        try:
            return send()
        except ActiveFSError:
            raise
        except Exception as error:  # depending on the moment, it may be of many kinds
            if isinstance(error, distributed().KilledWorker):
                raise self._killed(error) from error
            raise self._gone(_in_words(error)) from error

    def _settle(
        self, futures: Sequence[Any], report: Report | None = None, origins: Sequence[str] | None = None
    ) -> None:
        """Wait until all is done, and raise what went wrong."""
        while True:
            self._wait(futures, report)
            for i, future in enumerate(futures):
                if (error := _error_of(future)) is not None:
                    raise self._failed(error, None if origins is None else origins[i]) from error
            if all(future.status == "finished" for future in futures):
                return
            if any(future.status == "cancelled" for future in futures):
                raise self._gone(_SILENT)
            # Something was lost with a worker in this moment, and is computed again.

    def _failed(self, error: BaseException, origin: str | None) -> BaseException:
        if isinstance(error, distributed().KilledWorker):
            return self._killed(error)
        if isinstance(error, ActiveFSError) or origin is None:
            return error
        return InvalidInputError(f"{origin} of the table cannot be computed: {_in_words(error)}")

    def _wait(self, futures: Sequence[Any], report: Report | None = None) -> None:
        alone_since: float | None = None
        looked = time.monotonic()
        while True:
            if report is not None:
                report(sum(future.status == "finished" for future in futures), len(futures))
            try:
                with self.client.as_current():
                    distributed().wait(list(futures), timeout=_LOOK_SECONDS if report is None else _REPORT_SECONDS)
                break
            except (TimeoutError, distributed().TimeoutError):
                pass
            except distributed().CancelledError as error:
                raise self._gone(_SILENT) from error
            except (OSError, RuntimeError) as error:
                raise self._gone(_in_words(error)) from error
            if self.client.status != "running":
                raise self._gone(_SILENT)
            if time.monotonic() - looked < _LOOK_SECONDS:
                continue
            looked = time.monotonic()
            workers = self._workers()
            if any(map(_is_at_work, workers.values())):
                alone_since = None
                self._on_scheduler(free_stuck_tasks)
            elif alone_since is None:
                alone_since = looked
            elif looked - alone_since > self.NOBODY_SECONDS:
                raise self._paused() if workers else self._gone(self._nobody())
        if report is not None:
            report(len(futures), len(futures))

    def _workers(self) -> dict[str, Any]:
        # Not client.scheduler_info(), which waits forever for a scheduler that hangs.
        ask, timeout = self.client.scheduler.identity, self.NOBODY_SECONDS
        about: dict[str, Any] = self._sent(lambda: self.client.sync(ask, callback_timeout=timeout))
        found: dict[str, Any] = about["workers"]
        return found

    def _on_scheduler(self, function: Callable[..., None], *arguments: Any) -> None:
        """Let the scheduler do something that helps if all workers are gone for a moment; it may refuse to."""
        with suppress(Exception):
            self.client.run_on_scheduler(function, *arguments)

    def _killed(self, error: BaseException) -> ClusterError:
        return ClusterError(
            f"rows of the table were lost with their worker several times ({error}): look into the workers' logs, they "
            f"may have too little memory. {_KEPT}"
        )

    def _paused(self) -> ClusterError:
        return ClusterError(
            f"all workers of the Dask cluster at {self._address} have been paused for {self.NOBODY_SECONDS:.0f} "
            f"seconds, which they are if their memory is nearly full: give them more (--memory-limit). {_KEPT}"
        )

    def _nobody(self) -> str:
        return f"it has had no worker for {self.NOBODY_SECONDS:.0f} seconds"

    def _gone(self, why: str) -> ClusterError:
        return ClusterError(f"the Dask cluster at {self._address} is gone ({why}). {_KEPT}")


_SILENT = "its scheduler does not answer"
_KEPT = "No label is lost: save() the session, and load it with the table on another cluster or on this machine"


def _errors_of(futures: Sequence[Any]) -> list[BaseException]:
    return [error for future in futures if (error := _error_of(future)) is not None]


def _error_of(future: Any) -> BaseException | None:
    """Return what went wrong; nothing did if it is computed again in this moment."""
    try:
        error: BaseException | None = future.exception(timeout=_ANSWER_SECONDS) if future.status == "error" else None
    except (TimeoutError, distributed().TimeoutError):
        return None
    return error


def _is_at_work(worker: dict[str, Any]) -> bool:
    """Whether a worker takes tasks, or has one: when its memory is nearly full, it takes none."""
    return worker["status"] != "paused" or bool(worker["metrics"].get("task_counts", {}).get("executing"))


def _look_for_package() -> Callable[[], str]:
    def look() -> str:  # not a function of the module, of which workers would be told the name only
        from importlib import import_module

        try:
            return f"activefs {import_module('activefs').__version__}"
        except ImportError:
            return "no activefs"

    return look


def _in_words(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error).splitlines()[0]}" if str(error) else type(error).__name__
