"""Table and report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.stats import beta

from activefs.experiments.certificates._clear import ClearItem, clear_section
from activefs.experiments.certificates._items import Certificates
from activefs.experiments.certificates._plan import CertificateLine
from activefs.experiments.certificates._tables import FEWEST, KINDS, MOST
from activefs.runs import csv_text, markdown_table
from activefs.types import Ints

Found = Mapping[tuple[CertificateLine, float], Certificates]


@dataclass(frozen=True)
class CertificateRow:
    """What one kind of session came to.

    Attributes
    ----------
    sessions, certified, early, false, gap_exceeded, outside : int
        Sessions in all; those in which anything was certified, with a tenth of the rows or more still unlabelled; in
        which anything wrong was certified; in which a gap was larger than guaranteed, a value outside of its bounds.
    labels : float
        Median share of the rows that were labelled when something was certified first; NaN if nothing was.
    """

    sessions: int
    certified: int
    early: int
    false: int
    gap_exceeded: int
    outside: int
    labels: float

    @classmethod
    def of(cls, found: Certificates) -> CertificateRow:
        """Count."""
        some = found.first > 0
        share = found.first[some] / found.rows[some]
        return cls(
            sessions=found.rows.size,
            certified=int(some.sum()),
            early=int((share <= 0.9).sum()),
            false=int(found.false.sum()),
            gap_exceeded=int(found.gap_exceeded.sum()),
            outside=int(found.outside.sum()),
            labels=float(np.median(share)) if some.any() else float("nan"),
        )


def interval(count: int, n: int) -> tuple[float, float]:
    """95% interval of a share (Clopper and Pearson).

    Examples
    --------
    >>> [round(end, 4) for end in interval(0, 500)]
    [0.0, 0.0074]
    """
    low = float(beta.ppf(0.025, count, n - count + 1)) if count else 0.0
    return low, float(beta.ppf(0.975, count + 1, n - count)) if count < n else 1.0


def summary(found: Found) -> str:
    """CSV with a row per kind of session and delta."""
    rows = []
    for (line, delta), result in found.items():
        row = CertificateRow.of(result)
        counts = (row.certified, row.early, row.false, row.gap_exceeded, row.outside)
        named = (line.strategy, line.estimator, line.rule, line.criterion, delta)
        rows.append([*named, row.sessions, *counts, f"{row.labels:.4f}"])
    head = ["strategy", "estimator", "redundancy", "criterion", "delta", "sessions", "certified", "certified_early"]
    return csv_text([*head, "false", "gap_exceeded", "outside", "median_share_of_labels"], rows)


def report(found: Found, clear: Mapping[ClearItem, Ints], command: str) -> str:
    """Write the report in Markdown."""
    rows = []
    for (line, delta), result in found.items():
        row = CertificateRow.of(result)
        low, high = interval(row.false, row.sessions)
        rows.append(
            [
                line.strategy,
                line.estimator,
                "" if line.rule == "none" else line.rule,
                "" if line.criterion == "mutual_information" else line.criterion,
                f"{delta:g}",
                str(row.sessions),
                f"{row.false} ({100 * low:.1f} to {100 * high:.1f}%)",
                str(row.gap_exceeded),
                str(row.outside),
                f"{row.certified} ({row.early})",
                "" if np.isnan(row.labels) else f"{100 * row.labels:.0f}%",
            ]
        )
    head = ["choice", "estimate", "rule", "criterion", "delta", "sessions", "false certificate", "gap exceeded"]
    lines = "\n".join(markdown_table([*head, "outside bounds", "certified (early)", "labels for it"], rows))
    every = {key: CertificateRow.of(result) for key, result in found.items()}
    n_sessions, n_false = sum(one.sessions for one in every.values()), sum(one.false for one in every.values())
    said = f"Of {n_sessions:,} sessions {n_false or 'none'} certified anything wrong at any moment."
    if n_false:
        (line, delta), row = max(every.items(), key=lambda one: one[1].false / one[1].sessions / one[0][1])
        worst = f"{line.strategy} + {line.estimator} at delta = {delta:g}: {row.false} of {row.sessions}"
        said += f" Relative to delta the worst is\n{worst}."
    return f"""# Certificates: how often they are false, and how many labels they need

Sessions on small random tables ({FEWEST} to {MOST} rows, 2 to 4 values, 2 or 3 classes; {", ".join(KINDS)}),
run until no row is left. In between, labels that were there before are told, rows are asked in batches and answered
in any order, some are skipped, given back, taken back, or corrected; in three of ten sessions the classes are not
named. Whether anything is certified is asked after every label, and compared with what all labels say. A guarantee
with delta may fail in a share of delta of the sessions.

{said}

{lines}

False certificate: sessions in which, at any moment, features were certified that are not the best, with the 95%
interval of their share (Clopper and Pearson). Gap exceeded: sessions in which the true gap was above the guaranteed
one, outside bounds: in which any feature was outside of its guaranteed bounds, at any of twelve moments. Certified:
sessions in which anything was certified, in brackets those with a tenth of the rows or more still unlabelled; labels
for it: the median share of rows that were labelled then. With a redundancy rule only what holds for all labels of the
rows that are left is certified.
{clear_section(clear)}
Made by `{command}`; the seed of a session is its number. `summary.csv` has the figures.
"""
