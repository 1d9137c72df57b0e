"""Run the sessions that are missing, and write what came out of all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from activefs.exceptions import InvalidInputError
from activefs.experiments.certificates._clear import clear_items
from activefs.experiments.certificates._items import BATCH, COLUMNS, CertificateItem, Certificates
from activefs.experiments.certificates._plan import CertificateLine
from activefs.runs import Begin, SingleShard, Store, Work, plan_items, run, write_files


@dataclass(frozen=True)
class CertificatesRun:
    """What was done and written.

    Attributes
    ----------
    work : Work
        What had to be done.
    files : tuple of Path
        Report and table.
    """

    work: Work[SingleShard[Any]]
    files: tuple[Path, ...]


def reproduce_certificates(
    lines: Iterable[CertificateLine],
    deltas: Iterable[float],
    sessions: int,
    sessions_of_models: int,
    out: Path,
    *,
    jobs: int,
    command: str,
    begin: Begin,
) -> CertificatesRun:
    """Compute the work items that are missing, then write summary and report.

    Parameters
    ----------
    lines : iterable of CertificateLine
        Kinds of sessions.
    deltas : iterable of float
        Confidence parameters.
    sessions, sessions_of_models : int
        How many of each; the second where a model is asked.
    out : Path
        Folder for everything; finished work items are kept in ``items`` below it.
    jobs : int
        Processes on this machine.
    command : str
        As it is named in the report.
    begin : callable
        Told the work before it starts, gives back the function to call as it proceeds.
    """
    from activefs.experiments.certificates._report import report, summary

    lines, deltas = list(lines), list(deltas)

    if min(sessions, sessions_of_models) < 1:
        raise InvalidInputError(f"sessions must be at least 1, got {min(sessions, sessions_of_models)}")
    cells = [(line, delta) for line in lines for delta in deltas]
    items = {
        (line, delta): _items(line, delta, sessions_of_models if line.asks_model else sessions) for line, delta in cells
    }
    clear = clear_items([line.strategy for line in lines], deltas)
    store = Store(out)
    every: list[Any] = [*(item for some in items.values() for item in some), *clear]
    work = plan_items(every, store)
    run(work, store, jobs=jobs, advance=begin(work))
    found = {cell: _joined([store.read(item) for item in items[cell]]) for cell in cells}
    labels = {item: store.read(item) for item in clear}
    contents = {
        out / "report.md": report(found, labels, command).encode(),
        out / "summary.csv": summary(found).encode(),
    }
    return CertificatesRun(work, write_files(contents.items(), store))


def _items(line: CertificateLine, delta: float, sessions: int) -> list[CertificateItem]:
    sizes = [min(BATCH, sessions - start) for start in range(0, sessions, BATCH)]
    return [CertificateItem(line, delta, batch, size) for batch, size in enumerate(sizes)]


def _joined(parts: list[Certificates]) -> Certificates:
    return Certificates(*(np.concatenate([getattr(part, name) for part in parts]) for name in COLUMNS))
