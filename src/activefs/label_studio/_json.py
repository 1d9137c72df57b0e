"""Labels as Label Studio's JSON, out and in again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from activefs.codec import text_of
from activefs.engine import ClassList
from activefs.exceptions import InvalidInputError, InvalidLabelError
from activefs.label_studio._config import made_control
from activefs.label_studio._errors import printable
from activefs.label_studio._labels import result_of, said
from activefs.label_studio._pull import TASK_ID
from activefs.label_studio._records import MARK, ROW, Annotation, Task, time_of
from activefs.label_studio._tasks import shown_fields, task_data, task_mark
from activefs.storages import Label
from activefs.study import Answer, Imported, Person, StudyEngine
from activefs.study.exports import in_order

_LABEL_KEYS = ("label", "choice")  # what Label Studio's templates and we call the control


def export_json(engine: StudyEngine) -> str:
    """Write all labels and skips as tasks with annotations, which Label Studio imports.

    Parameters
    ----------
    engine : StudyEngine
        The study: `Study.engine`.

    Returns
    -------
    str
        A list of tasks, as JSON.

    Examples
    --------
    >>> from activefs import Study
    >>> from activefs.label_studio import export_json
    >>> study = Study.create("memory:", [[0, 1], [1, 1], [1, 0]], k=1, strategy="random", classes=["ill", "healthy"])
    >>> study.tell(2, "ill")
    >>> (task,) = json.loads(export_json(study.engine))
    >>> task["annotations"][0]["result"][0]["value"]
    {'choices': ['ill']}
    """
    control = made_control(engine, shown_fields(engine))
    with engine.reading() as state:
        answers = list(in_order(state))
    tasks = []
    for answer in answers:
        mark = task_mark(engine, answer.row)
        mark[MARK] |= _origin(answer)
        result = [] if answer.label is None else result_of(answer.label, control)
        annotation = {"result": result, "was_cancelled": answer.label is None, "ground_truth": False}
        tasks.append({"data": task_data(engine, answer.row), "meta": mark, "annotations": [annotation]})
    return json.dumps(tasks, ensure_ascii=False, indent=1) + "\n"


def read_json(
    engine: StudyEngine, content: str | bytes, who: Person, control: str | None = None
) -> tuple[list[Imported], int]:
    """Read labels from Label Studio's JSON or JSON_MIN; returns them, and how many tasks have none.

    Raises
    ------
    InvalidInputError
        If a task cannot be understood; the message says which one.
    """
    now = engine.clock()
    with engine.reading() as state:
        classes = engine.rules.classes(state)
    found: dict[int, Imported] = {}
    without = 0
    for number, record in enumerate(_records(content), 1):
        try:
            answer = _read(engine, classes, record, who, now, control)
        except InvalidInputError as error:
            raise InvalidInputError(f"task {number} of the file: {error}") from None
        if answer is None:
            without += 1
        elif answer.row in found and found[answer.row].label != answer.label:
            name = printable(engine.names.of(answer.row), 80)
            raise InvalidInputError(f"task {number} of the file gives row {name} another label than a task before")
        else:
            found.setdefault(answer.row, answer)
    return list(found.values()), without


def import_json(
    engine: StudyEngine, content: str | bytes, who: Person, control: str | None = None
) -> tuple[int, int, int]:
    """Take all labels of a file in Label Studio's JSON or JSON-MIN, or none.

    Parameters
    ----------
    engine : StudyEngine
        The study: `Study.engine`.
    content : str or bytes
        What the file holds, as Label Studio exports it.
    who : Person
        Who imports them, an owner of the study: `Study.person`.
    control : str, optional
        Name of the control that labels are read from, if a task has several; by default the one that fits.

    Returns
    -------
    tuple of int
        How many were new, how many are in the file, and how many tasks have none.

    Raises
    ------
    InvalidInputError
        If a task cannot be understood, or contradicts a label of the study; the message says which one.

    Examples
    --------
    >>> from activefs import Study
    >>> from activefs.label_studio import export_json, import_json
    >>> X = [[0, 1], [1, 1], [1, 0]]
    >>> one, other = (Study.create("memory:", X, k=1, strategy="random", classes=["ill", "healthy"]) for _ in range(2))
    >>> one.tell([2, 0], ["ill", "healthy"])
    >>> import_json(other.engine, export_json(one.engine), other.person)
    (2, 2, 0)
    >>> other.labels
    ['ill', 'healthy']
    """
    answers, without = read_json(engine, content, who, control)
    return engine.import_answers(who, answers), len(answers), without


def _origin(answer: Answer) -> dict[str, Any]:
    kind = "skipped" if answer.label is None else "answer" if answer.asked else "known"
    said = None if answer.label is None else text_of(answer.label)
    return {"annotator": answer.annotator, "time": answer.time.isoformat(), "kind": kind, "said": said}


def _records(content: str | bytes) -> list[Any]:
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(f"the file is no JSON that could be read: {printable(error, 120)}") from None
    if not isinstance(found, list) or not all(isinstance(record, dict) for record in found):
        raise InvalidInputError("the file must hold a list of tasks, as Label Studio exports it (JSON or JSON-MIN)")
    return found


def _read(
    engine: StudyEngine, classes: ClassList, record: dict[str, Any], who: Person, now: datetime, control: str | None
) -> Imported | None:
    record = record if "data" in record else _as_task(record, control)
    try:
        task = Task.of({"id": 0, **record, "annotations": [_numbered(a) for a in record.get("annotations") or ()]})
    except (AttributeError, TypeError, ValueError, KeyError):
        raise InvalidInputError("it is not written as Label Studio writes tasks") from None
    counts = _counts(task, control)
    if counts is None:
        return None
    annotation, text = counts
    row = engine.names.row(_row_name(engine, task))
    label: Label | None = None if text is None else engine.rules.checked(classes, text, text=True)
    mark = task.mark if task.mark.get("kind") and task.mark.get("said") == text else {}
    name = mark.get("annotator") or annotation.annotator
    name = f"user {name}" if isinstance(name, int) else name or who.name
    time = time_of(mark["time"]) if "time" in mark else annotation.created if annotation.created.year > 1970 else now
    return Imported(row, label, str(name), time, asked=mark.get("kind") == "answer")


def _counts(task: Task, control: str | None) -> tuple[Annotation, str | None] | None:
    """The annotation that counts, as in a project that is fed: the first with a label, else the first that skips."""
    problem: InvalidLabelError | None = None
    for annotation in task.annotations:
        if not annotation.skipped:
            try:
                return annotation, said(annotation.result, control)
            except InvalidLabelError as error:
                problem = error
    if problem is not None:
        raise InvalidLabelError(f"its annotation cannot be read: {problem}")
    return next(((a, None) for a in task.annotations if a.skipped), None)


def _row_name(engine: StudyEngine, task: Task) -> Any:
    id_column = engine.settings.id_column
    if id_column == TASK_ID and task.id:
        return task.id
    for name in (task.mark.get("row"), task.data.get(ROW), None if id_column is None else task.data.get(id_column)):
        if name is not None:
            return name
    wanted = f"data[{ROW!r}]" if id_column is None else f"data[{id_column!r}] or data[{ROW!r}]"
    raise InvalidInputError(f"it does not say which row it is: {wanted} is missing")


def _numbered(annotation: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": 0, **annotation}


def _as_task(record: dict[str, Any], control: str | None) -> dict[str, Any]:
    """Make a task of a record of JSON_MIN, which holds data and label side by side."""
    # What it calls id is the number of the task, also where the data have an id of their own.
    data = {name: value for name, value in record.items() if name != "id"}
    task = {"id": record.get("id", 0), "data": data, "annotations": []}
    key = control or next((key for key in _LABEL_KEYS if key in record), None)
    value = None if key is None else record.get(key)
    if value is None:
        return task
    labels = value.get("choices", []) if isinstance(value, dict) else value if isinstance(value, list) else [value]
    result = [{"from_name": key, "type": "choices", "value": {"choices": labels}}]
    who, when = record.get("annotator"), record.get("created_at")
    return task | {"annotations": [{"result": result, "completed_by": who, "created_at": when}]}
