"""What looks odd about a table with known labels, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from activefs import redundancy as rules
from activefs.engine import ClassList
from activefs.measurements import mostly_different
from activefs.pool import Pool
from activefs.selection import Selection
from activefs.tables import listed_left_out


def about_rows(notes: Sequence[str], unlabelled: int) -> list[str]:
    """How the file was read, and rows that cannot take part."""
    rows = "row without a label was" if unlabelled == 1 else "rows without a label were"
    return [*notes, *([f"{unlabelled:,} {rows} left out."] if unlabelled else [])]


def about_labels(classes: ClassList, n_rows: int) -> list[str]:
    """Say that most labels are different whole numbers, as measurements are."""
    said = "" if classes.fixed else mostly_different(classes.values, n_rows, "The label")
    return [f"{said}."] if said else []


def about_rule(redundancy: Any) -> list[str]:
    """What a rule against redundancy does to the gap."""
    rule = rules.create(redundancy)
    if isinstance(rule, rules.TopK):
        return []
    return [
        f"Features were chosen by {rule.name}, which gives up information of single features for less overlap; "
        "the gap counts the information of single features."
    ]


def about_truth(truth: Selection | None, redundancy: Any) -> list[str]:
    """Say which of the true best are there by chance: against them, the gap says little."""
    if truth is None:
        return [
            f"What {rules.create(redundancy).name} would choose with all labels is not computed for a table that does "
            "not fit into memory, since it looks at the label beside every two features."
        ]
    names = [repr(name) for name, flag in zip(truth.names, truth.by_chance, strict=True) if flag]
    if not names:
        return []
    listed = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    plain = truth.criterion == "mutual_information"
    advice = "; criterion='adjusted_mutual_information' takes chance off" if plain else ""
    are = "is" if len(names) == 1 else "are"
    return [
        f"Of the true top {len(truth.names)}, {listed} {are} not above chance even with all "
        f"{truth.n_labels:,} labels, so the gap counts chance, too{advice}."
    ]


def about_columns(pool: Pool) -> list[str]:
    """Columns that are no features although nobody asked for that; how to keep them may follow."""
    return [f"Columns left out: {listed_left_out(pool.left_out)}."] if pool.left_out else []
