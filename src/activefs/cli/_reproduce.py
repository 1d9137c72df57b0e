"""`activefs reproduce`: the paper's experiments, one file and one line per sub-command."""

from __future__ import annotations

import typer

from activefs.cli._reproduce_redundancy import redundancy
from activefs.cli._reproduce_selection import ablations, aggregations, all_plans, baselines, safeguards
from activefs.cli._reproduce_single_feature import single_feature

reproduce_app = typer.Typer(help="Rerun the paper's experiments.", no_args_is_help=True)


@reproduce_app.callback()
def _group() -> None:
    """Rerun the paper's experiments."""


reproduce_app.command("single-feature")(single_feature)
reproduce_app.command("baselines")(baselines)
reproduce_app.command("ablations")(ablations)
reproduce_app.command("aggregations")(aggregations)
reproduce_app.command("safeguards")(safeguards)
reproduce_app.command("redundancy")(redundancy)
reproduce_app.command("all")(all_plans)
