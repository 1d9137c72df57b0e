"""What "assisted" was meant to reach, and what it does reach."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from activefs.experiments.leaderboard._board import Board, Entry
from activefs.experiments.leaderboard._choices import ASSISTED, CHOSEN, PLUG_IN, RANDOM
from activefs.experiments.leaderboard._relative import labels_needed, relative
from activefs.experiments.leaderboard._sets import TRAP_NAMES
from activefs.runs import PAPER_SETS, Source

WINNER: Entry = (CHOSEN, ASSISTED)
BASE: Entry = (RANDOM, PLUG_IN)


@dataclass(frozen=True)
class Target:
    """One target.

    Attributes
    ----------
    what, wanted, measured : str
        In words.
    missed_by : str
        How far off, in words; empty if it is met.
    """

    what: str
    wanted: str
    measured: str
    missed_by: str = ""


def targets(board: Board) -> list[Target]:
    """All targets that the data sets at hand can judge."""
    return [*_means(board), *_worst(board), *_labels(board), *_traps(board), *_independent(board), *_speed(board)]


def _paper(board: Board) -> list[Source]:
    return [source for source in board.settings.sources if source.name in PAPER_SETS]


def _means(board: Board) -> Iterator[Target]:
    sources = _paper(board)
    if len(sources) < len(PAPER_SETS):
        return
    for k in (20, 5):
        found = relative(board, sources, k, WINNER, one_floor=True)
        strict = relative(board, sources, k, WINNER)
        if found is None or strict is None:
            continue
        yield Target(
            f"mean gap on the seven sets, k={k}, relative to the better floor of AFS",
            "at most 0.25",
            f"{found}; if AFS may choose its floor anew on every set: {strict}",
            "" if found.value <= 0.25 else f"{found.value - 0.25:.2f}",
        )


def _worst(board: Board) -> Iterator[Target]:
    found = []
    for source, k in board.cells():
        ratio = relative(board, [source], k, WINNER) if source.name in PAPER_SETS else None
        if ratio is not None:
            found.append((ratio.value, f"{source.name} k={k}: {ratio}"))
    if not found:
        return
    over = [text for value, text in sorted(found, reverse=True) if value > 0.7]
    worst = max(found)
    missed = f"{worst[0] - 0.7:.2f} at worst, in {len(over)} of {len(found)} cases" if over else ""
    yield Target("no set and k worse than 0.7 of AFS", "0.7", "; ".join(over) or f"worst: {worst[1]}", missed)


def _labels(board: Board) -> Iterator[Target]:
    for name, most in (("MUSK", 250), ("PCMAC", 150), ("RELATHE", 150), ("MNIST35", 150)):
        source = next((s for s in board.settings.sources if s.name == name), None)
        if source is None or board.settings.budget_of(source) < 500:
            continue
        needed = labels_needed(board, [source], 20, WINNER)
        if needed is None:
            continue
        text = shown_labels(needed, 500)
        missed = "" if needed <= most else f"{text} instead of {most} labels"
        yield Target(f"{name}, k=20: labels to reach AFS's gap at 500", f"at most {most}", text, missed)


def _traps(board: Board) -> Iterator[Target]:
    worse = []
    judged = 0
    for source, k in board.cells():
        if source.name in TRAP_NAMES and (found := against_random(board, source, k)) is not None:
            judged += 1
            if found[0] > found[1]:
                worse.append(f"{source.name} k={k}: {found[0]:+.4f} nats, spread {found[1]:.4f}")
    if judged:
        yield Target(
            "traps: never worse than random + plug-in by more than its spread",
            "0 cases",
            f"{len(worse)} of {judged} cases",
            "; ".join(worse),
        )


def against_random(board: Board, source: Source, k: int) -> tuple[float, float] | None:
    """Mean gap of "assisted" minus that of random + plug-in, and the standard deviation of the latter's runs."""
    if any((source.name, k, *entry) not in board.gaps for entry in (WINNER, BASE)):
        return None
    base = board.scores(source, k, BASE)
    spread = float(base.std(ddof=1)) if base.size > 1 else 0.0
    return float(board.scores(source, k, WINNER).mean() - base.mean()), spread


def _independent(board: Board) -> Iterator[Target]:
    said = [d[..., 3].ravel() for (name, _), d in board.reliability.items() if name == "INDEPENDENT"]
    if said:
        share = float(np.mean(np.concatenate(said)))
        missed = "" if share <= 0.05 else f"{share - 0.05:.0%} of the answers"
        yield Target(
            "labels independent of everything: no information is reported",
            "in 95% of the answers",
            f"in {1 - share:.1%}",
            missed,
        )


def _speed(board: Board) -> Iterator[Target]:
    if ("MNIST35", CHOSEN) in board.speeds:
        speed = board.speeds["MNIST35", CHOSEN]
        mean = 1e3 * speed.per_label
        missed = "" if mean <= 30 else f"{mean - 30:.0f} ms"
        measured = f"{mean:.0f} ms of the processor, {1e3 * speed.per_label_by_clock:.0f} ms by the clock"
        yield Target("MNIST35: mean time of a question, one thread", "30 ms", measured, missed)
    asks = {name: speed for (name, choice), speed in board.speeds.items() if choice == CHOSEN}
    if asks:
        name, longest = max(asks.items(), key=lambda item: item[1].largest)
        missed = "" if longest.largest <= 0.5 else f"{longest.largest - 0.5:.2f} s"
        measured = f"{longest.largest:.2f} s of the processor, {longest.largest_by_clock:.2f} s by the clock ({name})"
        yield Target("longest single question on any set", "0.5 s", measured, missed)


def shown_labels(needed: int | None, last: int) -> str:
    """Write how many labels are needed.

    Examples
    --------
    >>> shown_labels(200, 500), shown_labels(501, 500), shown_labels(None, 500)
    ('200', '>500', '–')
    """
    if needed is None:
        return "–"
    return f">{last}" if needed > last else str(needed)
