"""`activefs label-studio STUDY`: keeps a project of Label Studio fed; files have a module of their own."""

from __future__ import annotations

import os
import signal
import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from activefs.cli._arguments import Data, Url
from activefs.cli._interrupted import Interrupted
from activefs.cli._study_common import opened
from activefs.exceptions import InvalidInputError

if TYPE_CHECKING:
    from activefs.label_studio import LabelStudio, Runner

TOKEN = "LABEL_STUDIO_API_KEY"
Address = Annotated[
    str,
    typer.Option("--url", envvar="LABEL_STUDIO_URL", help="Label Studio's address, such as http://127.0.0.1:8080."),
]
TokenFile = Annotated[
    Path | None,
    typer.Option("--token-file", help=f"File with a personal access token; by default the variable {TOKEN}."),
]


def feed(
    study: Url,
    url: Address,
    project: Annotated[int | None, typer.Option("--project", min=1, help="Number of the project (in its URL).")] = None,
    create_project: Annotated[
        str | None, typer.Option("--create-project", metavar="TITLE", help="Make a project that fits the study.")
    ] = None,
    token_file: TokenFile = None,
    queue: Annotated[
        int | None,
        typer.Option("--queue", min=1, max=1000, help="Tasks open at a time; by default 3 per user, 4 to 30."),
    ] = None,
    poll: Annotated[float, typer.Option("--poll", min=0.1, max=3600, help="Seconds between two looks.")] = 3.0,
    webhook_port: Annotated[
        int | None,
        typer.Option("--webhook-port", min=0, max=65535, help="Listen here for calls of Label Studio, to be quicker."),
    ] = None,
    webhook_host: Annotated[str, typer.Option("--webhook-host", help="Address to listen on.")] = "127.0.0.1",
    webhook_url: Annotated[
        str | None, typer.Option("--webhook-url", help="How Label Studio reaches that, if another way.")
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="One round, then end: for cron.")] = False,
    data: Data = None,
) -> None:
    """Keep a Label Studio project fed with the rows that matter, and take its annotations (no name needed)."""
    from activefs.label_studio import Feeder, Runner, found_project, new_project, queue_for

    if (project is None) == (create_project is None):
        raise InvalidInputError("say which project to feed: --project N, or --create-project TITLE for a new one")
    studio = connected(url, token_file)
    with opened(study, data) as found:
        engine = found.engine
        there = new_project(engine, studio, create_project) if create_project else found_project(studio, project or 0)
        n = queue_for(studio) if queue is None else queue
        feeder = Feeder(engine, studio, there, n, _say)
        _say(
            f"Feeding {studio.url}/projects/{there.id} ({n} tasks open at a time). Ctrl-C ends; the same command goes "
            "on."
        )
        runner = Runner(engine, studio, feeder, _say, poll)
        listening = nullcontext() if webhook_port is None else runner.webhook(webhook_host, webhook_port, webhook_url)
        with feeder.alone(), listening:
            _run(runner, there.id, once=once)


def connected(url: str, token_file: Path | None) -> LabelStudio:
    """Prepare to talk to Label Studio."""
    from activefs.label_studio import Client, LabelStudio

    return LabelStudio(Client(url, _token(token_file)))


def _token(file: Path | None) -> str:
    if file is None:
        if not (token := os.environ.get(TOKEN, "").strip()):
            raise InvalidInputError(
                "Label Studio needs a personal access token (Account & Settings there): put it into the variable "
                f"{TOKEN}, or name a file that holds it with --token-file"
            )
        return token
    try:
        return file.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise InvalidInputError(f"{file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidInputError(f"{file} holds no token, but something that is no text") from None


def _run(runner: Runner, project: int, *, once: bool) -> None:
    before = signal.signal(signal.SIGTERM, _stop)
    try:
        runner.once() if once else runner.forever()
    except _Stopped:
        _say("Stopped.")
    except KeyboardInterrupt:
        raise Interrupted(
            f"Stopped. Open tasks stay in project {project}, and their rows are held; the same command goes on."
        ) from None
    finally:
        signal.signal(signal.SIGTERM, before)


class _Stopped(Exception):  # noqa: N818 - no error
    """The process was told to end."""


def _stop(*_: Any) -> None:
    raise _Stopped


def _say(text: str) -> None:
    typer.echo(f"{time.strftime('%H:%M:%S')} {text}")
