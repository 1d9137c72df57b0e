"""Commands in a real terminal, with somebody who types."""

import os
import select
import subprocess
import sys
import time
from types import TracebackType
from typing import Self

from machines import PATIENCE


class Terminal:
    """A terminal in which `activefs` runs, for tests that are marked as `needs_terminal`.

    `shown` is all that it has shown.
    """

    _master: int
    _child: subprocess.Popen[bytes]

    def __init__(self, *arguments: str) -> None:
        self.shown = b""
        self._command = [sys.executable, "-c", "from activefs.cli import main; main()", *arguments]
        self._end = time.monotonic() + PATIENCE

    def __enter__(self) -> Self:
        if sys.platform != "win32":
            import pty

            self._master, slave = pty.openpty()
            self._child = subprocess.Popen(
                self._command, stdin=slave, stdout=slave, stderr=slave, start_new_session=True
            )
            os.close(slave)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if error is not None or time.monotonic() >= self._end:
            self._child.kill()
        self._child.wait()
        os.close(self._master)

    def is_open(self) -> bool:
        """Read what is shown, and say whether the command still runs."""
        try:
            if select.select([self._master], [], [], 0.01)[0]:
                self.shown += os.read(self._master, 4096)
        except OSError:  # the terminal closes with the process
            return False
        return time.monotonic() < self._end

    def waits_for_a_key(self) -> bool:
        """Whether a single key is waited for: the terminal does not gather lines any more."""
        waits = False
        if sys.platform != "win32":
            import termios

            waits = not termios.tcgetattr(self._master)[3] & termios.ICANON
        return waits

    def type(self, keys: bytes) -> None:
        """Press keys."""
        os.write(self._master, keys)
