"""`activefs demo`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from activefs.cli._progress import progress_bar
from activefs.exceptions import InvalidInputError
from activefs.experiments.demo import BUDGET, RUNS, STRATEGIES, K, draw_demo, run_demo


def demo(
    out: Path = typer.Option(Path(), "--out", help="Folder for the picture."),
    seed: int = typer.Option(0, "--seed", min=0, help="Seed of the runs."),
) -> None:
    """Find the 10 pixels that tell a 3 from a 5 best, with 100 labels (about half a minute)."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInputError(f"cannot write to {out}: {error.strerror}") from None
    with progress_bar("labelling 3s and 5s") as advance:
        result = run_demo(seed, advance)
    console = Console()
    used = f"{result.selection.n_labels} of {result.rows} labels"
    table = Table(title=f"The {K} chosen pixels (assisted selection, {used})")
    for heading in ("rank", "pixel", "mutual information", "interval", "in the true top 10"):
        table.add_column(heading, justify="right" if heading == "rank" else "left")
    chosen = result.selection
    for i, pixel in enumerate(chosen.features):
        interval = f"{chosen.lower[i]:.3f} to {chosen.upper[i]:.3f}"
        hit = "yes" if pixel in result.best else "no"
        table.add_row(str(i + 1), chosen.names[i], f"{chosen.scores[i]:.3f} nats", interval, hit)
    console.print(table)
    console.print(f"{result.hits} of {K} are in the true top {K} (that all {result.rows} labels would give).")
    for name, title in STRATEGIES.items():
        last = result.gaps[name][:, -1]
        area = result.gaps[name].mean()
        console.print(
            f"Gap with {BUDGET} labels, {title}: {last.mean():.3f} nats "
            f"(standard deviation {np.std(last, ddof=1):.3f}, {RUNS} runs; mean over 1 to {BUDGET} labels {area:.3f})"
        )
    path = out / "activefs-demo.png"
    path.write_bytes(draw_demo(result))
    console.print(f"Picture: {path}")
