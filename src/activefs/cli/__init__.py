"""The command line: one file per command."""

from activefs.cli._app import app, main

__all__ = ["app", "main"]
