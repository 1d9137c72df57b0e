"""The assistants of data sets, kept because many runs share them."""

from __future__ import annotations

import time
from functools import lru_cache

from activefs.model import Assistant
from activefs.runs._sources import Source, problem

# One assistant serves all runs on a data set, since its preparation takes longer than many a run.
_SEED = 0


@lru_cache(maxsize=2)
def assistant_of(source: Source) -> tuple[Assistant, float]:
    """Prepare the assistant of a data set; kept, as tasks come ordered by data set. Also the seconds it took."""
    started = time.process_time()
    made = Assistant(problem(source).pool, seed=_SEED)
    return made, time.process_time() - started
