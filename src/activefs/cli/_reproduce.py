"""`activefs reproduce`: the paper's experiments, one sub-command each."""

from __future__ import annotations

import typer

reproduce_app = typer.Typer(help="Rerun the paper's experiments.", no_args_is_help=True)
