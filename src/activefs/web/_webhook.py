"""A webhook: addresses that the owner named at the start are told about milestones of studies.

Whatever was not told is found in the log: milestones follow from it, and so does what was delivered. A server that is
killed in between tells it after its next start; a receiver may therefore hear of a milestone twice, but not never.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import httpx

from activefs import __version__
from activefs.exceptions import ActiveFSError
from activefs.study import Milestone, Status, StudyEngine, milestones_of, study_key, time_text
from activefs.web._addresses import Address, checked_addresses, read_secret, signature

logger = logging.getLogger("activefs.web")

PATIENCE = 10.0
"""Seconds that a receiver has for its answer, from the connection to the status."""
FIRST_DELAY = 1.0
LONGEST_DELAY = 3600.0
_SAID_AGAIN = 3600.0
"""Seconds after which the log of the server says again that something does not work."""
_PAUSE = 1.0
_LONGEST_PAUSE = 10.0
_AT_ONCE = 2
"""Studies that are looked at at the same time, of however many."""
_SHARE = 0.05
"""At most this share of the time is spent on finding out whether a study is finished, which computes."""


class Webhook:
    """Tells addresses about milestones of all studies of a server.

    Parameters
    ----------
    addresses : iterable of Address
        Where to send.
    secret : bytes
        Signs what is sent.
    """

    def __init__(self, addresses: Iterable[Address], secret: bytes) -> None:
        self._receivers = [_Receiver(address) for address in addresses]
        self._secret = secret
        self._client: httpx.AsyncClient | None = None
        self._watched = 0
        self._looking = asyncio.Semaphore(_AT_ONCE)

    @asynccontextmanager
    async def watching(self, engine: StudyEngine, reader: TellsStatus, name: str | None = None) -> AsyncIterator[None]:
        """Tell about a study while the block runs, and about what was reached before and not told.

        Parameters
        ----------
        engine, reader : StudyEngine, Reader or Background
            The study, which must stay open until the block has ended.
        name : str, optional
            Name of the study among others on the server; by default its title.
        """
        if self._client is None:
            # It would write every address into the log of the server.
            logging.getLogger("httpx").setLevel(logging.WARNING)
            self._client = httpx.AsyncClient(follow_redirects=False, trust_env=False, timeout=PATIENCE)
        self._watched += 1
        task = asyncio.create_task(self._follow(_Followed(engine, reader, name)))
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            self._watched -= 1
            if not self._watched:
                client, self._client = self._client, None
                await client.aclose()

    async def _follow(self, study: _Followed) -> None:
        queues = [asyncio.Queue[Milestone]() for _ in self._receivers]
        async with asyncio.TaskGroup() as group:
            for receiver, queue in zip(self._receivers, queues, strict=True):
                group.create_task(self._deliver(study, receiver, queue))
            pause = _PAUSE
            while True:
                try:
                    async with self._looking:
                        moved = await asyncio.to_thread(study.look)
                except Exception as error:  # a database that is away comes back
                    moved = False
                    study.failed(error)
                for receiver, queue in zip(self._receivers, queues, strict=True):
                    for milestone in study.news_for(receiver.address):
                        queue.put_nowait(milestone)
                pause = _PAUSE if moved else min(1.5 * pause, _LONGEST_PAUSE)
                await asyncio.sleep(pause)

    async def _deliver(self, study: _Followed, receiver: _Receiver, queue: asyncio.Queue[Milestone]) -> None:
        """Send one after the other, each until it arrives: the order is that in which things happened."""
        while True:
            milestone = await queue.get()
            delay = FIRST_DELAY
            body: bytes | None = None
            while True:
                try:
                    if body is None:
                        async with self._looking:
                            body = await asyncio.to_thread(study.body, milestone)
                    wrong = await self._send(receiver.address, body)
                except Exception as error:  # whatever it is, the next attempt may work
                    wrong = f"what is to be sent cannot be computed just now ({type(error).__name__}: {error})"
                if wrong is None:
                    break
                receiver.failed(wrong)
                await asyncio.sleep(delay * random.uniform(0.5, 1.0))
                delay = min(2 * delay, LONGEST_DELAY)
            receiver.worked()
            await self._note(study, milestone, receiver.address)

    async def _note(self, study: _Followed, milestone: Milestone, address: Address) -> None:
        """Note in the log of the study that it arrived; if that cannot be done, it is sent again by the next start."""
        try:
            await asyncio.to_thread(study.engine.note_told, {"milestone": milestone.key, "to": address.key})
        except ActiveFSError as error:
            logger.warning("%s was told about a milestone, which could not be noted: %s", address.shown, error)

    async def _send(self, address: Address, body: bytes) -> str | None:
        """Send once; returns what went wrong, or None. Of the answer nothing but its status is read."""
        assert self._client is not None
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"activefs/{__version__}",
            "Activefs-Signature": signature(self._secret, int(time.time()), body),
        }
        try:
            async with asyncio.timeout(PATIENCE):
                async with self._client.stream("POST", address.url, content=body, headers=headers) as response:
                    if response.is_success:
                        return None
                    also = ", and redirects are not followed" if response.is_redirect else ""
                    return f"it answered {response.status_code}{also}"
        except (TimeoutError, httpx.TimeoutException):
            return f"it did not answer within {PATIENCE:g} seconds"
        except httpx.ConnectError as error:
            return f"it cannot be reached ({error})"
        except httpx.HTTPError as error:  # which may name a header, or the address
            return f"the connection broke ({type(error).__name__})"


def webhook_to(said: Sequence[str], secret_file: Path | None, environment: Mapping[str, str]) -> Webhook | None:
    """Make a webhook of addresses as they were said; None if there are none.

    Raises
    ------
    InvalidInputError
        If an address is none, or there is no secret to sign with.
    """
    if not said:
        return None
    return Webhook(checked_addresses(said), read_secret(secret_file, environment))


@dataclass
class _Receiver:
    """An address, and how it does; lines in the log of the server are few."""

    address: Address
    _said: float = field(default=float("-inf"))
    _down: bool = False

    def failed(self, why: str) -> None:
        """Note that something did not arrive."""
        if not self._down or time.monotonic() - self._said > _SAID_AGAIN:
            self._said = time.monotonic()
            logger.warning(
                "the webhook at %s was not told about a milestone: %s; it is tried again until it works, and nothing "
                "is lost",
                self.address.shown,
                why,
            )
        self._down = True

    def worked(self) -> None:
        """Note that something arrived."""
        if self._down:
            logger.warning("the webhook at %s works again", self.address.shown)
        self._down = False


class TellsStatus(Protocol):
    """Somebody who says where a study stands."""

    def status(self) -> Status:
        """Say it."""


class _Followed:
    """A study whose milestones are followed; its methods wait for the database, in threads of their own."""

    def __init__(self, engine: StudyEngine, reader: TellsStatus, name: str | None) -> None:
        self.engine, self._reader, self._name = engine, reader, name
        self._found = milestones_of(engine)
        self._queued: set[tuple[str, str]] = set()
        self._judged = 0
        self._idle_until = 0.0
        self._said = float("-inf")

    def look(self) -> bool:
        """Read on in the log; returns whether there was anything new."""
        events = self.engine.storage.events(self._found.last)
        self._found.apply(events)
        with self.engine.reading() as state:
            if state.overlap.disagreements(state.told):
                self._found.disagreed(self.engine.clock())
            changes = bool(state.told) and not state.archived
        if self._judged < self._found.last and time.monotonic() >= self._idle_until:
            start, last = time.monotonic(), self._found.last
            # Of a study that nobody labels, neither table nor model need to be looked at.
            if changes and {"finished", "certified"} - self._found.reached.keys():
                self._found.judge(self._reader.status(), self.engine.clock())
            self._judged = last
            self._idle_until = time.monotonic() + (time.monotonic() - start) / _SHARE
        return bool(events) or self._judged < self._found.last

    def failed(self, error: Exception) -> None:
        """Note that the log could not be read; said once in a while."""
        if time.monotonic() - self._said > _SAID_AGAIN:
            self._said = time.monotonic()
            logger.warning("milestones cannot be found just now, which is tried again: %s", error)

    def news_for(self, address: Address) -> list[Milestone]:
        """List what this address was not told yet, and is not about to be told."""
        known = self._found.notified | self._queued
        news = [m for m in list(self._found.reached.values()) if (m.key, address.key) not in known]
        self._queued.update((m.key, address.key) for m in news)
        return news

    def body(self, milestone: Milestone) -> bytes:
        """Write what is sent; numbers are those of now."""
        status = self._reader.status()
        title = self.engine.settings.title
        content = {
            "id": f"{study_key(self.engine)}-{milestone.key}",
            "milestone": milestone.name,
            "text": f"{title}: {milestone.said} ({status.used}).",
            "time": time_text(milestone.time),
            "study": {"title": title, "name": self._name or title},
            "counts": _counts(status),
            "finished": status.finished or None,
            "certified": status.certified,
            "features": [
                {"rank": p.rank, "name": p.name, "score": p.score, "lower": p.lower, "upper": p.upper}
                for p in status.places
            ],
        }
        return json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")


def _counts(status: Status) -> dict[str, Any]:
    return {
        "labels": status.n_labels,
        "skipped": status.n_skipped,
        "open": status.n_open,
        "rows": status.n_rows,
        "budget": status.budget,
        "cost": status.cost,
        "classes": [{"label": label, "count": count} for label, count in status.classes],
    }
