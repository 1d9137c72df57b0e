"""The `activefs` command: calls the commands and turns errors into a line for a person."""

from __future__ import annotations

import sys

import typer

from activefs import __version__
from activefs.cli._commands import COMMANDS
from activefs.cli._interrupted import Interrupted
from activefs.cli._late import late_typer
from activefs.cli._output import finish_output, nobody_reads, print_anything
from activefs.exceptions import ActiveFSError, InvalidInputError

INTERRUPTED = 130

app = late_typer(COMMANDS, pretty_exceptions_enable=False, context_settings={"help_option_names": ["--help", "-h"]})


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"activefs {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    debug: bool = typer.Option(False, "--debug", help="Show the full traceback of an error."),
    version: bool = typer.Option(
        False, "--version", is_eager=True, callback=_show_version, help="Show the version and exit."
    ),
) -> None:
    """Options of every command."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit code (0 done, 1 failure, 2 wrong use).

    Errors print as one or two lines for a person, with a traceback only under ``--debug``. Whoever reads the output may
    stop reading: that ends the command without a word.
    """
    given = sys.argv[1:] if arguments is None else arguments
    print_anything()
    try:
        code = _run(given)
    except OSError as error:  # nobody reads the errors
        if not nobody_reads(error):
            raise
        code = 1
    return finish_output(code)


def _run(given: list[str]) -> int:
    try:
        result = app(args=given, standalone_mode=False)
    except typer.Exit as stop:
        return int(stop.exit_code)
    except SystemExit as stop:  # the pipe is closed: typer and rich want to end the process themselves
        return stop.code if isinstance(stop.code, int) else 1
    except Interrupted as stop:
        return _say(str(stop), INTERRUPTED)
    except (typer.Abort, KeyboardInterrupt):
        return _say("interrupted", INTERRUPTED)
    except Exception as error:
        if "--debug" in given:
            raise
        return _explain(error)
    if result == INTERRUPTED:  # what typer makes of Ctrl-C, without a word
        return _say("interrupted", INTERRUPTED)
    return int(result) if isinstance(result, int) else 0


def _explain(error: Exception) -> int:
    show = getattr(error, "show", None)
    if callable(show):  # a usage error of the parser: it knows how to show itself
        show()
        return 2
    if isinstance(error, InvalidInputError):
        return _say(f"error: {error}", 2)
    if sys.platform == "win32" and isinstance(error, OSError) and nobody_reads(error):  # typer expects another error
        return 1
    if isinstance(error, (ActiveFSError, OSError)):
        return _say(f"error: {error}", 1)
    return _say(f"error: {type(error).__name__}: {error} (run again with --debug for details)", 1)


def _say(text: str, code: int) -> int:
    print(text, file=sys.stderr)
    return code
