"""`activefs select`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from activefs.cli._progress import progress_bar
from activefs.exceptions import ActiveFSError, InvalidInputError
from activefs.experiments.simulation import Simulation, comparison, draw, how_sure, html_report, selection_csv, simulate
from activefs.runs import cannot_write, write_whole
from activefs.strategies import RECOMMENDED
from activefs.tables import open_labelled


def select(
    table: Annotated[Path, typer.Argument(help="A csv, tsv, parquet or mat file with labels.")],
    label: Annotated[str, typer.Option("--label", help="Column with the labels (variable, in a mat file).")],
    k: Annotated[int, typer.Option("--k", help="Number of features wanted.")],
    budget: Annotated[int, typer.Option("--budget", help="Labels to be revealed.")],
    strategy: Annotated[str, typer.Option("--strategy", help="How rows are chosen.")] = RECOMMENDED,
    estimator: Annotated[
        str | None,
        typer.Option(
            "--estimator", help="How features are judged: 'plug-in' (labelled rows) or 'assisted' (all rows)."
        ),
    ] = None,
    id_column: Annotated[str | None, typer.Option("--id", help="Column that names the rows; it is no feature.")] = None,
    out: Annotated[Path, typer.Option("--out", help="Folder for the report.")] = Path("activefs-select"),
    seeds: Annotated[int, typer.Option("--seeds", help="Runs of the strategy and of random labelling.")] = 5,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the first run.")] = 0,
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", help="Column that is no feature; may be given several times.")
    ] = None,
    missing: Annotated[
        str, typer.Option("--missing", help="Missing values: 'error', or 'value' to make them a value of their own.")
    ] = "error",
    redundancy: Annotated[
        str, typer.Option("--redundancy", help="Avoid features that tell the same: 'mrmr', 'jmi' or 'cmim'.")
    ] = "none",
    bins: Annotated[int, typer.Option("--bins", help="Bins of real-valued columns.")] = 10,
    binning: Annotated[
        str, typer.Option("--binning", help="How real-valued columns are binned: kmeans, quantile or uniform.")
    ] = "kmeans",
) -> None:
    """Try active feature selection on a table whose labels are known, and compare it with random labelling."""
    if missing not in ("error", "value"):
        raise InvalidInputError(f"--missing must be 'error' or 'value', got {missing!r}")
    read = open_labelled(table, label, id_column)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInputError(f"cannot write to {out}: {error.strerror}; name another folder with --out") from None
    options = {
        "k": k, "budget": budget, "strategy": strategy, "estimator": estimator, "missing": missing,
        "ignore": ignore or (), "redundancy": redundancy, "bins": bins, "binning": binning,
    }  # fmt: skip
    with progress_bar("labelling") as advance:
        try:
            study = simulate(read, options=options, runs=seeds, seed=seed, advance=advance)
        except InvalidInputError as error:  # its advice is for Python
            advice = str(error).replace("ignore=...", "--ignore COLUMN, or --id COLUMN if it names the rows")
            raise InvalidInputError(advice.replace("missing='value'", "--missing value")) from error
    picture = draw(study)
    path = out
    try:
        for path, content in (
            (out / "curve.png", picture),
            (out / "selection.csv", selection_csv(study).encode()),
            (out / "report.html", html_report(study, table.name, label, picture).encode()),
        ):
            write_whole(path, content)
    except OSError as error:
        raise ActiveFSError(f"{cannot_write(path, error)} Then run the same command again.") from error
    _show(study, label)
    Console(soft_wrap=True).print(f"Report: {path}", highlight=False)


def _show(study: Simulation, label: str) -> None:
    console = Console()
    shown = Table(title=f"{study.k} features for {label} ({study.strategy}, {study.budget} of {study.rows:,} labels)")
    for heading in ("rank", "feature", "mutual information", "interval", f"in the true top {study.k}"):
        shown.add_column(heading, justify="right" if heading == "rank" else "left")
    chosen = study.selection
    for i, name in enumerate(chosen.names):
        interval = f"{chosen.lower[i]:.3f} to {chosen.upper[i]:.3f}"
        hit = "yes" if study.truly_best[i] else "no"
        shown.add_row(str(i + 1), name, f"{chosen.scores[i]:.3f} nats", interval, hit)
    console.print(shown)
    for note in study.notes:
        console.print(f"Note: {note}", highlight=False)
    console.print(how_sure(chosen), highlight=False)
    console.print(comparison(study), highlight=False)
