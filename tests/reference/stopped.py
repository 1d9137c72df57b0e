"""Commands that are stopped in the middle of their work items, at a moment that no clock decides."""

import subprocess
import sys
from collections.abc import Sequence

from machines import PATIENCE

_PROGRAM = f"""
import os, signal, sys, time
from activefs.cli import main
from activefs.runs import Store

# Whatever a shell gave to this test: what runs in the background is deaf to Ctrl-C, and hands that down.
signal.signal(signal.SIGINT, signal.default_int_handler)

save, kept, items, by = Store.save, [], int(sys.argv[1]), int(sys.argv[2])

def save_and_stop(self, item, result):
    save(self, item, result)
    kept.append(item)
    if len(kept) == items:
        os.killpg(0, by)  # this process and its workers, as a terminal does
        time.sleep({PATIENCE})

Store.save = save_and_stop
sys.exit(main(sys.argv[3:]))
"""


def stopped(arguments: Sequence[str], items: int, by: int) -> tuple[int, str]:
    """Run `activefs`, send it a signal when so many items were kept; returns its code and its output."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(items), str(int(by)), *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True, timeout=2 * PATIENCE,
    )  # fmt: skip
    return done.returncode, done.stdout
