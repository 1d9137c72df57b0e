"""Milliseconds of the processor per label of AFS, printed: for this source, or for an earlier one (PYTHONPATH)."""

from __future__ import annotations

import sys
import time

from activefs import Pool, Session, datasets


def ms_per_label(name: str, budget: int) -> float:
    """Fastest of three runs, after a short one that compiles and fills tables."""
    found = datasets.load(name)
    pool = Pool.from_table(found.X, binning="none")
    y = found.y.astype(int)
    seconds = []
    for n in (20, budget, budget, budget):
        session = Session(pool, 20, strategy="afs-nosg", random_state=0, when_certified="continue", budget=n)
        started = time.process_time()
        while not session.finished:
            session.tell((row := session.ask()), int(y[row]))
        seconds.append((time.process_time() - started) / n)
    return 1000 * min(seconds[1:])


if __name__ == "__main__":
    print(ms_per_label(sys.argv[1], int(sys.argv[2])))
