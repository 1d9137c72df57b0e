"""`activefs reproduce`: the paper's experiments, one file and one line per sub-command."""

from __future__ import annotations

import typer

from activefs.cli._reproduce_single_feature import single_feature

reproduce_app = typer.Typer(help="Rerun the paper's experiments.", no_args_is_help=True)


@reproduce_app.callback()
def _group() -> None:
    """Rerun the paper's experiments."""


reproduce_app.command("single-feature")(single_feature)
