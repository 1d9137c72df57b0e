"""A model that learns in another process, while many people label: they and it do not get in each other's way."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from activefs.study._engine import StudyEngine
from activefs.study._helper import Helper, HelperEnded, Where, where_of

if TYPE_CHECKING:
    from activefs.model import Completion
    from activefs.types import Ints, Targets

logger = logging.getLogger("activefs.study")

_DEATHS = 3
_NOBODY_LABELS = 600.0
"""Seconds without a lesson after which the process ends."""


class Teacher:
    """Lets the model of a study learn elsewhere; what it learns is the same, to the last digit.

    The process is started with the first lesson, and used when it is ready.

    Parameters
    ----------
    where : Where
        The study.
    """

    def __init__(self, where: Where) -> None:
        self._where = where
        self._helper: Helper | None = None
        self._starting: threading.Thread | None = None
        self._ending: threading.Timer | None = None
        self._deaths = 0
        self._closed = False

    def learn(self, rows: Ints, labels: Targets, n_classes: int) -> Completion | None:
        """Learn from labels; None if that is not possible there, or not yet. One thread at a time may call it."""
        self._wait_for_the_end()
        helper = self._helper
        if helper is None:
            self._start()
            return None
        try:
            return helper.learn(rows, labels, n_classes)
        except (HelperEnded, RuntimeError) as error:
            self._helper = None
            if str(error) and not self._closed:  # else it was ended on purpose, to make room for another
                self._deaths += 1
                logger.warning("the process in which the model learns ended: %s", error)
            return None

    def close(self) -> None:
        """End the process."""
        self._closed = True
        if self._ending is not None:
            self._ending.cancel()
        if self._starting is not None:
            self._starting.join(timeout=60)
        self._end()

    def _start(self) -> None:
        if self._closed or self._deaths >= _DEATHS or (self._starting is not None and self._starting.is_alive()):
            return
        self._starting = threading.Thread(target=self._make, name="activefs-teacher", daemon=True)
        self._starting.start()

    def _make(self) -> None:
        try:
            helper = Helper(self._where, last=False)
            helper.get_ready()
        except (HelperEnded, RuntimeError) as error:
            self._deaths += 1
            logger.warning("no other process can let the model learn: %s", error)
        else:
            self._helper = helper

    def _wait_for_the_end(self) -> None:
        """End the process some time after the last lesson."""
        if self._ending is not None:
            self._ending.cancel()
        self._ending = threading.Timer(_NOBODY_LABELS, self._end)
        self._ending.daemon = True
        self._ending.start()

    def _end(self) -> None:
        helper, self._helper = self._helper, None
        if helper is not None:
            helper.end()


def teacher_for(engine: StudyEngine) -> Teacher | None:
    """Make one for a study that another process can open."""
    where = where_of(engine)
    return None if where is None else Teacher(where)
