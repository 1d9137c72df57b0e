"""Means and intervals over runs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from activefs.experiments.selection._planning import cells, items_of
from activefs.experiments.selection._plans import Plan, SelectionSettings
from activefs.runs import Bundle, Line, Store, csv_text
from activefs.types import Floats


class Curves:
    """The bundles of all lines, by (data set, k, name of the line), read from the store."""

    def __init__(self, plans: list[Plan], settings: SelectionSettings, store: Store) -> None:
        self.plans = plans
        self.settings = settings
        self._bundles: dict[tuple[str, int, str], Bundle] = {}
        self.lines: dict[str, Line] = {}
        for plan in plans:
            for dataset, k in cells(plan, settings):
                for line in plan.lines:
                    key = (dataset, k, line.name)
                    if key not in self._bundles and (found := _bundle(line, dataset, k, settings, store)):
                        self._bundles[key] = found
                        self.lines[line.name] = line

    def __contains__(self, key: tuple[str, int, str]) -> bool:
        return key in self._bundles

    def __getitem__(self, key: tuple[str, int, str]) -> Bundle:
        return self._bundles[key]

    def items(self) -> Iterator[tuple[tuple[str, int, str], Bundle]]:
        """Go through all bundles: by data set, k and line."""
        names = list(self.lines)
        place = {name: i for i, name in enumerate(self.settings.datasets)}
        yield from sorted(
            self._bundles.items(), key=lambda item: (place[item[0][0]], item[0][1], names.index(item[0][2]))
        )

    def table(self) -> pa.Table:
        """Mean and interval after every label."""
        labels = np.arange(1, self.settings.budget + 1, dtype=np.int16)
        parts = []
        for (dataset, k, name), bundle in self.items():
            size = labels.size
            parts.append(
                pa.table(
                    {
                        "dataset": pa.array([dataset] * size).dictionary_encode(),
                        "k": pa.array(np.full(size, k, dtype=np.int16)),
                        "strategy": pa.array([name] * size).dictionary_encode(),
                        "labels": pa.array(labels),
                        "mean_gap": pa.array(bundle.mean.astype(np.float32)),
                        "ci_low": pa.array((bundle.mean - bundle.half_width).astype(np.float32)),
                        "ci_high": pa.array((bundle.mean + bundle.half_width).astype(np.float32)),
                        "runs": pa.array(np.full(size, len(bundle.gaps), dtype=np.int16)),
                    }
                )
            )
        return pa.concat_tables(parts).unify_dictionaries().combine_chunks()

    def summary(self) -> str:
        """CSV with a row per cell, line and label count of the settings."""
        rows = []
        for (dataset, k, name), bundle in self.items():
            for budget in self.settings.budgets:
                mean, half = bundle.mean[budget - 1], bundle.half_width[budget - 1]
                numbers = [f"{value:.6g}" for value in (mean, mean - half, mean + half)]
                rows.append([dataset, k, name, budget, *numbers, len(bundle.gaps)])
        return csv_text(["dataset", "k", "strategy", "budget", "mean_gap", "ci_low", "ci_high", "runs"], rows)


def _bundle(line: Line, dataset: str, k: int, settings: SelectionSettings, store: Store) -> Bundle | None:
    """Read all runs of a line in a cell; None if one of them is missing."""
    gaps: list[Floats] = []
    rows = []
    for item in items_of(line, dataset, k, settings):
        result = store.load(item)
        if result is None:
            return None
        gaps.append(result.gaps[item.ks.index(k)].astype(np.float64))
        rows.append(result.rows)
    return Bundle(np.stack(gaps), all(np.array_equal(rows[0], other) for other in rows[1:]))
