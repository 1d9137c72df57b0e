"""What systems have, lack, and do in ways of their own; what a test needs and does not find is said in its skip."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

WINDOWS = sys.platform == "win32"
IS_ROOT = sys.platform != "win32" and os.geteuid() == 0

needs_signals = pytest.mark.skipif(
    WINDOWS, reason="no process of Windows can send another one Ctrl-C or SIGTERM, stop it, or let it go on"
)
needs_limits = pytest.mark.skipif(WINDOWS, reason="Windows limits neither the open files of a process nor their size")
needs_memory_limit = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux refuses memory to a process that has taken as much as it may"
)
needs_permissions = pytest.mark.skipif(
    WINDOWS or IS_ROOT, reason="whoever runs this may read everything, or the system has other permissions"
)
needs_terminal = pytest.mark.skipif(WINDOWS, reason="Windows has no terminals that Python could make")
needs_deleting = pytest.mark.skipif(WINDOWS, reason="Windows neither deletes nor moves a file that somebody has open")
needs_colons = pytest.mark.skipif(WINDOWS, reason="no name of a file of Windows has a colon")
needs_bash = pytest.mark.skipif(WINDOWS, reason="bash of Windows is that of another system, or needs paths of its own")

if sys.platform == "win32":
    KILLED = 1  # how a process ends that is killed
    STOPPABLE = subprocess.CREATE_NEW_PROCESS_GROUP  # creationflags; else Ctrl-Break would reach whoever sends it
else:
    KILLED = -signal.SIGKILL
    STOPPABLE = 0


def kill(process: int) -> None:
    """End a process as a power cut would; on Windows, every signal but two does that."""
    if sys.platform == "win32":
        os.kill(process, signal.SIGTERM)
    else:
        os.kill(process, signal.SIGKILL)


def pause(process: int) -> None:
    """Let a process stand still; `needs_signals`."""
    if sys.platform != "win32":
        os.kill(process, signal.SIGSTOP)


def go_on(process: int) -> None:
    """Let a process go on that was paused."""
    if sys.platform != "win32":
        os.kill(process, signal.SIGCONT)


def link(path: Path, target: Path) -> None:
    """Make a symbolic link; on Windows that is a right, without which the test is skipped."""
    try:
        path.symlink_to(target)
    except OSError:
        if not WINDOWS:
            raise
        pytest.skip("whoever runs this has no right to make links")


def stop(process: subprocess.Popen[str]) -> None:
    """Ask a process to end in order, by SIGTERM or Ctrl-Break; it was started with `STOPPABLE`."""
    if sys.platform == "win32":
        process.send_signal(signal.CTRL_BREAK_EVENT)
    else:
        process.terminate()
