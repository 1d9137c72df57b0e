"""The tasks of a project as a table, of which a study can be made; and their annotations, as labels of it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from activefs.exceptions import InvalidInputError
from activefs.label_studio._api import LabelStudio
from activefs.label_studio._records import Project, Task

TASK_ID = "task_id"
"""Column of the table with the numbers of the tasks, which are the names of its rows."""


def pulled_table(tasks: Sequence[Task], suffix: str) -> str:
    """Write what tasks show as a table: one row per task, one column per field.

    Parameters
    ----------
    tasks : sequence of Task
        The tasks, with their data.
    suffix : str
        How the table is written: ``.csv``, or ``.jsonl``.

    Examples
    --------
    >>> print(pulled_table([Task(7, {}, data={"age": 40}), Task(9, {}, data={"age": 50, "sex": "f"})], ".csv"), end="")
    task_id,age,sex
    7,40,
    9,50,f
    """
    columns = list(dict.fromkeys(name for task in tasks for name in task.data))
    if not columns:
        raise InvalidInputError("the project has no tasks that a table could be made of")
    if TASK_ID in columns:
        raise InvalidInputError(
            f"the tasks have a field {TASK_ID!r} of their own; the table needs that name: rename it"
        )
    rows = [{TASK_ID: task.id, **{name: _cell(value) for name, value in task.data.items()}} for task in tasks]
    if suffix == ".jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    if suffix != ".csv":
        raise InvalidInputError(f"the table is written as .csv or .jsonl; got {suffix!r}")
    out = io.StringIO()
    writer = csv.DictWriter(out, [TASK_ID, *columns], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def pulled_annotations(studio: LabelStudio, project: Project, tasks: Sequence[Task]) -> str:
    """Write the tasks that have annotations as Label Studio's JSON, with the emails of the annotators.

    Parameters
    ----------
    studio : LabelStudio
        Where the project is: it knows the annotators.
    project : Project
        The project: ``found_project(studio, number)``.
    tasks : sequence of Task
        Its tasks: ``studio.all_tasks(project, with_data=True)``.

    Returns
    -------
    str
        What :func:`import_json` takes.
    """
    users = studio.users()
    found: list[Mapping[str, Any]] = []
    for task in tasks:
        said = [
            {
                "id": a.id,
                "result": list(a.result),
                "was_cancelled": a.skipped,
                "completed_by": users.get(a.annotator, a.annotator) if isinstance(a.annotator, int) else a.annotator,
                "created_at": a.created.isoformat(),
            }
            for a in task.annotations
        ]
        if said:
            found.append({"id": task.id, "data": task.data, "annotations": said, "project": project.id})
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"


def _cell(value: Any) -> Any:
    return value if value is None or isinstance(value, (str, int, float)) else json.dumps(value, ensure_ascii=False)
