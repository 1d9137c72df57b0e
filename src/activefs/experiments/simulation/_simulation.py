"""What a simulated study found."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from activefs.runs import Bundle
from activefs.selection import Selection
from activefs.tables import LeftOut
from activefs.types import Bools, Ints

RANDOM = "random"


@dataclass(frozen=True, eq=False)
class Simulation:
    """What came out.

    Attributes
    ----------
    selection : Selection
        Chosen features of the first run.
    truly_best : array of bool or None
        Whether each of them is among the k that all labels would give, and above chance with all labels; None if it is
        not known what they would give.
    by_chance : array of bool or None
        Whether each of them is among the k that all labels would give, but not above chance even with all labels.
    curves : dict of str to Bundle
        Gap after every label up to those of the longest run, by strategy: the chosen one and random labelling. The
        last gap of a run that ended earlier goes on.
    labels : dict of str to array of int
        Labels that each run used, by strategy.
    asked : list of (row name, label)
        Labels of the first run, in order.
    asked_classes : list
        Their classes: of numbers the ranges, else the labels themselves.
    rows, features : int
        Size of the table, without columns that have one value only.
    k : int
        Features wanted.
    budget : float or None
        Labels in all or, with costs, their sum; None: no limit.
    by_cost : bool
        Whether labels have costs.
    runs, seed : int
        As asked for.
    strategy : str
        Name of the strategy, and of the estimate if it is not the strategy's own.
    classes : dict of label to count
        How often each class occurs in the table.
    notes : list of str
        What was left out, and what looks odd.
    left_out : tuple of LeftOut
        Columns that are no features although nobody asked for that.
    """

    selection: Selection
    truly_best: Bools | None
    by_chance: Bools | None
    curves: dict[str, Bundle]
    labels: dict[str, Ints]
    asked: list[tuple[object, object]]
    asked_classes: list[object]
    rows: int
    features: int
    k: int
    budget: float | None
    by_cost: bool
    runs: int
    seed: int
    strategy: str
    classes: dict[object, int]
    notes: list[str]
    left_out: tuple[LeftOut, ...] = ()

    @property
    def longest(self) -> int:
        """Labels of the longest run of any strategy."""
        return max(int(counts.max()) for counts in self.labels.values())

    @property
    def same_length(self) -> bool:
        """Whether all runs of all strategies used the same number of labels."""
        return all(bool((counts == self.longest).all()) for counts in self.labels.values())

    def in_true_top(self, i: int) -> str:
        """Whether the i-th feature is among the k that all labels would give, in words; nothing if nobody knows."""
        if self.truly_best is None or self.by_chance is None:
            return ""
        if self.by_chance[i]:
            return "by chance"
        return "yes" if self.truly_best[i] else "no"

    def used(self, strategy: str) -> str:
        """How many labels the runs of a strategy used, in words."""
        counts = self.labels[strategy]
        if (counts == counts[0]).all():
            return f"{counts[0]:,} label{'s' if counts[0] != 1 else ''}"
        return f"{counts.mean():,.1f} labels on average"

    def to_json(self) -> dict[str, Any]:
        """Write it as what JSON can hold: the choice, and the mean gap after every label by strategy."""
        return {
            "selection": {
                **self.selection.to_json(),
                "among_true_best": None if self.truly_best is None else self.truly_best.tolist(),
                "among_true_best_by_chance": None if self.by_chance is None else self.by_chance.tolist(),
            },
            "gaps": {
                name: {"mean": b.mean.tolist(), "half_width": b.half_width.tolist()} for name, b in self.curves.items()
            },
            "labels": {name: counts.tolist() for name, counts in self.labels.items()},
            "asked": [
                {"row": row, "label": label, "class": of}
                for (row, label), of in zip(self.asked, self.asked_classes, strict=True)
            ],
            **{name: getattr(self, name) for name in ("rows", "features", "k", "budget", "runs", "seed", "strategy")},
            "classes": [{"label": label, "rows": count} for label, count in self.classes.items()],
            "notes": self.notes,
            "left_out": [asdict(column) for column in self.left_out],
        }
