"""The few things that are wanted of Label Studio."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from activefs.exceptions import ActiveFSError
from activefs.label_studio._client import Client
from activefs.label_studio._errors import NotThere, Refused
from activefs.label_studio._records import Project, Task

_PAGE = 500
# A task without what it shows; the names hold for the annotations in it, too.
_FIELDS = "id,meta,annotations,result,was_cancelled,completed_by,created_at"
_ACTIONS = ["ANNOTATION_CREATED", "ANNOTATIONS_CREATED", "ANNOTATION_UPDATED", "ANNOTATIONS_DELETED", "TASKS_DELETED"]
SECRET = "X-Activefs-Secret"
"""Header that shows that a call of the webhook comes from Label Studio."""


class LabelStudio:
    """A Label Studio and its REST API.

    Parameters
    ----------
    client : Client
        How it is reached.
    """

    def __init__(self, client: Client) -> None:
        self._client = client

    @property
    def url(self) -> str:
        """Its address."""
        return self._client.url

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    # --- projects ---

    def project(self, number: int) -> Project:
        """Find a project; `NotThere` if there is none, or if the token's user must not see it.

        Parameters
        ----------
        number : int
            Its number, as in its address.
        """
        return Project.of(self._client.get(f"/api/projects/{number}/"))

    def find_project(self, title: str, description: str) -> Project | None:
        """Look for a project with this title and description; the oldest, if there are several.

        Parameters
        ----------
        title, description : str
            As they are in Label Studio.
        """
        found = self._client.get("/api/projects/", title=title, page_size=1000, ordering="id")["results"]
        numbers = [int(p["id"]) for p in found if (p.get("title"), p.get("description")) == (title, description)]
        return self.project(min(numbers)) if numbers else None

    def create_project(self, title: str, label_config: str, **settings: Any) -> Project:
        """Make a project.

        Parameters
        ----------
        title : str
            How it is called.
        label_config : str
            What annotators see and fill in, as Label Studio's XML.
        **settings
            What else its REST API takes.
        """
        return Project.of(
            self._client.post("/api/projects/", {"title": title, "label_config": label_config, **settings})
        )

    def users(self) -> dict[int, str]:
        """List everybody's email by number."""
        return {int(user["id"]): str(user["email"]) for user in self._client.get("/api/users/")}

    # --- tasks ---

    def all_tasks(self, project: Project, *, with_data: bool = False) -> list[Task]:
        """List the tasks of a project, oldest first.

        Parameters
        ----------
        project : Project
            The project.
        with_data : bool, default False
            Whether what they show comes with them.
        """
        found: dict[int, Task] = {}
        for page in self._pages(project, with_data):
            found.update((task.id, task) for task in page)  # what is made meanwhile may be met twice
        return [found[number] for number in sorted(found)]

    def newest_tasks(self, project: Project, n: int) -> list[Task]:
        """List the n newest tasks of a project, oldest first.

        Parameters
        ----------
        project : Project
            The project.
        n : int
            How many.
        """
        page = self._page(project, 1, n, order="-tasks:id", include=_FIELDS)
        return sorted(page[0], key=lambda task: task.id)

    def task(self, number: int) -> Task | None:
        """Find a task; None if there is none.

        Parameters
        ----------
        number : int
            Its number.
        """
        try:
            return Task.of(self._client.get(f"/api/tasks/{number}/"))
        except NotThere:
            return None

    def create_task(self, project: Project, data: Mapping[str, Any], meta: Mapping[str, Any]) -> Task:
        """Add a task at the end of a project.

        Parameters
        ----------
        project : Project
            The project.
        data : mapping
            What it shows.
        meta : mapping
            What is kept with it.
        """
        return Task.of(self._client.post("/api/tasks/", {"project": project.id, "data": data, "meta": meta}))

    def delete_task(self, number: int) -> None:
        """Remove a task; it is no error if it is gone already.

        Parameters
        ----------
        number : int
            Its number.
        """
        with suppress(NotThere):
            self._client.delete(f"/api/tasks/{number}/")

    def _pages(self, project: Project, with_data: bool) -> Iterator[Sequence[Task]]:
        include = _FIELDS + (",data" if with_data else "")
        number, seen = 1, 0
        while True:
            try:
                page, total = self._page(project, number, _PAGE, order="tasks:id", include=include)
            except NotThere:
                if number == 1:
                    raise
                return  # a page beyond the last one: tasks were deleted meanwhile
            yield page
            seen += len(page)
            number += 1
            if not page or seen >= total:
                return

    def _page(self, project: Project, number: int, size: int, order: str, include: str) -> tuple[list[Task], int]:
        query = json.dumps({"ordering": [order]})
        found = self._client.get(
            "/api/tasks/", project=project.id, fields="all", page=number, page_size=size, query=query, include=include
        )
        try:
            return [Task.of(task) for task in found["tasks"]], int(found["total"])
        except (AttributeError, KeyError, TypeError, ValueError):
            raise ActiveFSError(f"what {self.url} lists as tasks is not what Label Studio would list") from None

    # --- webhooks ---

    def set_webhook(self, project: Project, url: str, secret: str) -> int:
        """Let Label Studio call an address when annotations of a project change; returns the webhook's number.

        Parameters
        ----------
        project : Project
            The project.
        url : str
            The address.
        secret : str
            What it sends along, so that calls of others are known.
        """
        content = {
            "project": project.id,
            "url": url,
            "headers": {SECRET: secret},
            "actions": _ACTIONS,
            "send_payload": False,
            "send_for_all_actions": False,
            "is_active": True,
        }
        for hook in self._client.get("/api/webhooks/", project=project.id):
            if hook.get("url") == url and hook.get("project") == project.id:  # of a run that was killed
                return int(self._client.patch(f"/api/webhooks/{hook['id']}/", content)["id"])
        return int(self._client.post("/api/webhooks/", content)["id"])

    def remove_webhook(self, number: int) -> None:
        """Stop these calls.

        Parameters
        ----------
        number : int
            Number of the webhook.
        """
        with suppress(NotThere, Refused):
            self._client.delete(f"/api/webhooks/{number}/")
