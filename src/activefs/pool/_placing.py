"""What is done on the scheduler, so that no task waits for a worker that is gone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_DEATHS = 20
"""Workers that may die of one task, more than Dask allows: some of them are dead already when it is sent to them."""


def forget_the_past(keys: Sequence[str], dask_scheduler: Any = None) -> None:
    """Let any worker compute some tasks again, and all that they are made of, as if nothing had ever happened.

    A worker was preferred for each when the table was encoded. Should all workers be gone for a moment, Dask's
    scheduler would wait for that one, even though others were allowed. It also counts the workers that died while they
    had a task, for as long as this is known: after four, a task is given up, even if these were accidents of different
    days, or of one moment before they were noticed.
    """
    waiting = [dask_scheduler.tasks[key] for key in keys if key in dask_scheduler.tasks]
    seen = set(waiting)
    while waiting:
        task = waiting.pop()
        task.worker_restrictions, task.loose_restrictions = None, False
        task.suspicious = -_DEATHS
        new = [other for other in task.dependencies if other not in seen]
        seen.update(new)
        waiting += new


def free_stuck_tasks(dask_scheduler: Any = None) -> None:
    """Give tasks to workers that are there which wait for one that is gone although others are allowed."""
    stuck = [task for task in dask_scheduler.unrunnable if task.worker_restrictions and task.loose_restrictions]
    if not stuck or not dask_scheduler.running:
        return
    for task in stuck:
        task.worker_restrictions, task.loose_restrictions = None, False
    worker = next(iter(dask_scheduler.running))
    found = dask_scheduler.bulk_schedule_unrunnable_after_adding_worker(worker)
    dask_scheduler.transitions(found, "activefs-free-stuck-tasks")
