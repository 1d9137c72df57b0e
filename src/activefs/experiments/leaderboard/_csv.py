"""The numbers as CSV files."""

from __future__ import annotations

import numpy as np

from activefs.experiments.leaderboard._board import Board
from activefs.runs import csv_text


def leaderboard_csv(board: Board) -> str:
    """Mean gap and 95% interval (Student's t over runs) at every measured label count, and the gap of blind choice."""
    rows = []
    for source, k in board.cells():
        for choice, estimate in board.entries:
            bundle = board.gaps.get((source.name, k, choice, estimate))
            if bundle is None:
                continue
            for t, labels in enumerate(board.settings.measured_of(source)):
                mean, half = bundle.mean[t], bundle.half_width[t]
                numbers = (_short(value) for value in (mean, mean - half, mean + half))
                blind = _short(board.blind[source.name, k])
                rows.append([source.name, k, choice, estimate, labels, *numbers, len(bundle.gaps), blind])
    head = ["dataset", "k", "choice", "estimate", "labels", "mean_gap", "ci_low", "ci_high", "runs", "blind_gap"]
    return csv_text(head, rows)


def uncertainty_csv(board: Board) -> str:
    """What the choice "assisted" says about its own estimates, run by run."""
    rows = []
    for source, k in board.cells():
        if (source.name, k) not in board.reliability:
            continue
        for run, by_count in enumerate(board.reliability[source.name, k]):
            for labels, (covered, expected, true, informative) in zip(
                board.settings.measured_of(source), by_count, strict=True
            ):
                numbers = (_short(value) for value in (covered, expected, true))
                rows.append([source.name, k, labels, run, *numbers, int(informative)])
    return csv_text(["dataset", "k", "labels", "run", "coverage", "expected_gap", "true_gap", "informative"], rows)


def speed_csv(board: Board) -> str:
    """Seconds of the processor, and by the clock where it says so, on whatever machine this was."""
    rows = []
    for (dataset, choice), speed in board.speeds.items():
        by_clock = (speed.per_label_by_clock, speed.largest_by_clock)
        numbers = (speed.per_label, speed.largest, *by_clock, speed.per_estimate, speed.preparing)
        rows.append([dataset, choice, *(_short(value) for value in numbers)])
    head = ["dataset", "choice", "seconds_per_label", "largest_ask", "seconds_per_label_by_clock"]
    return csv_text([*head, "largest_ask_by_clock", "seconds_per_estimate", "seconds_preparing"], rows)


def _short(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.6g}"
