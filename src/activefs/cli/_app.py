"""The `activefs` command: gathers the commands and turns errors into a line for a person."""

from __future__ import annotations

import sys

import typer

from activefs.cli._datasets import datasets_app
from activefs.cli._demo import demo
from activefs.cli._items import Interrupted
from activefs.cli._leaderboard import leaderboard
from activefs.cli._reproduce import reproduce_app
from activefs.cli._select import select
from activefs.cli._serve import serve
from activefs.cli._study import study_app
from activefs.exceptions import ActiveFSError, InvalidInputError

INTERRUPTED = 130

app = typer.Typer(
    name="activefs",
    help="Find the k features that tell most about a label, by labelling only the rows that matter.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback()
def _options(
    debug: bool = typer.Option(False, "--debug", help="Show the full traceback of an error."),
) -> None:
    """Options of every command."""


app.command()(demo)
app.command()(select)
app.command()(serve)
app.command()(leaderboard)
app.add_typer(study_app, name="study")
app.add_typer(datasets_app, name="datasets")
app.add_typer(reproduce_app, name="reproduce")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit code (0 done, 1 failure, 2 wrong use).

    Errors print as one or two lines for a person, with a traceback only under ``--debug``.
    """
    given = sys.argv[1:] if arguments is None else arguments
    try:
        result = app(args=given, standalone_mode=False)
    except typer.Exit as stop:
        return int(stop.exit_code)
    except Interrupted as stop:
        return _say(str(stop), INTERRUPTED)
    except (typer.Abort, KeyboardInterrupt):
        return _say("interrupted", INTERRUPTED)
    except Exception as error:
        if "--debug" in given:
            raise
        show = getattr(error, "show", None)
        if callable(show):  # a usage error of the parser: it knows how to show itself
            show()
            return 2
        if isinstance(error, InvalidInputError):
            return _say(f"error: {error}", 2)
        if isinstance(error, (ActiveFSError, OSError)):
            return _say(f"error: {error}", 1)
        return _say(f"error: {type(error).__name__}: {error} (run again with --debug for details)", 1)
    if result == INTERRUPTED:  # what typer makes of Ctrl-C, without a word
        return _say("interrupted", INTERRUPTED)
    return int(result) if isinstance(result, int) else 0


def _say(text: str, code: int) -> int:
    print(text, file=sys.stderr)
    return code
