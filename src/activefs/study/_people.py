"""Who did how much and how fast, how far they agree, and how long it will take them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from statistics import median

from activefs.study._records import Answer
from activefs.study._state import StudyState

_DAYS = 7
"""Days of work by which the pace of a team is judged: the last ones."""
_FEWEST = 5
"""Answers from which on a pace means anything."""


@dataclass(frozen=True)
class AnnotatorProgress:
    """How much one annotator did.

    Attributes
    ----------
    name : str
        Who.
    labels, skips, open : int
        Labels given (second answers, too), rows that could not be told, rows held now.
    labels_per_day : float or None
        Labels on a day on which this annotator labelled; None without labels.
    seconds_per_row : float or None
        Median time from question to answer; None if nothing was asked.
    compared, agreed : int
        Rows that somebody else answered as well, and those with the same answer.
    """

    name: str
    labels: int
    skips: int
    open: int
    labels_per_day: float | None = None
    seconds_per_row: float | None = None
    compared: int = 0
    agreed: int = 0


@dataclass(frozen=True)
class Pace:
    """How fast a team is.

    Attributes
    ----------
    seconds : float or None
        Median time from question to answer; None if too little is known.
    per_day : float or None
        Answers of all on a day of work, lately; None if too little is known.
    waiting : int
        Rows that still await a second annotator.
    """

    seconds: float | None
    per_day: float | None
    waiting: int


@dataclass(frozen=True)
class TimeLeft:
    """How long a study will take.

    Attributes
    ----------
    answers : int
        Answers to go, those of second annotators included.
    seconds : float or None
        Work that these are, in seconds.
    days : float or None
        Days of work, at the pace of the last ones.
    """

    answers: int
    seconds: float | None
    days: float | None

    def __str__(self) -> str:
        if not self.answers:
            return "nothing is left to be answered"
        said = [f"{self.answers:,} more answer{'s' if self.answers > 1 else ''}"]
        if self.seconds is not None:
            said.append(f"about {_in_words(self.seconds)} of work")
        if self.days is not None:
            days = max(1, round(self.days))
            said.append(f"at the pace of the last days, {f'{days} more days' if days > 1 else 'a day or less'}")
        return "; ".join(said)


def annotators_of(state: StudyState, now: datetime) -> tuple[AnnotatorProgress, ...]:
    """Say who did how much, most labels first."""
    answers = state.answers()
    held = Counter(q.annotator for q in state.held() if q.until > now)
    compared, agreed = _compared(state)
    names = {*(a.annotator for a in answers), *held}
    found = []
    for name in names:
        own = [a for a in answers if a.annotator == name]
        labels = [a for a in own if a.label is not None]
        seconds = [a.seconds for a in own if a.seconds is not None]
        days = _days(labels)
        found.append(
            AnnotatorProgress(
                name=name,
                labels=len(labels),
                skips=len(own) - len(labels),
                open=held[name],
                labels_per_day=len(labels) / len(days) if days else None,
                seconds_per_row=median(seconds) if seconds else None,
                compared=compared[name],
                agreed=agreed[name],
            )
        )
    return tuple(sorted(found, key=lambda one: (-one.labels, one.name)))


def pace_of(state: StudyState, now: datetime) -> Pace:
    """Say how fast the team is."""
    answers = [a for a in state.answers() if a.seconds is not None]
    days = _days(answers)
    enough = len(answers) >= _FEWEST
    lately = sorted(days)[-_DAYS:]
    return Pace(
        seconds=median(a.seconds for a in answers if a.seconds is not None) if enough else None,
        per_day=sum(days[day] for day in lately) / len(lately) if enough else None,
        waiting=len(state.overlap.waiting(state.told, now)),
    )


def time_left(pace: Pace, rows: int, overlap: float) -> TimeLeft:
    """Say how long so many more rows will take.

    Examples
    --------
    >>> print(time_left(Pace(seconds=30.0, per_day=55.0, waiting=0), rows=100, overlap=0.1))
    110 more answers; about 55 minutes of work; at the pace of the last days, 2 more days
    """
    answers = round(rows * (1.0 + overlap)) + pace.waiting
    return TimeLeft(
        answers=answers,
        seconds=None if pace.seconds is None else answers * pace.seconds,
        days=None if not pace.per_day else answers / pace.per_day,
    )


def _compared(state: StudyState) -> tuple[Counter[str], Counter[str]]:
    compared: Counter[str] = Counter()
    agreed: Counter[str] = Counter()
    for pair in state.overlap.pairs(state.told):
        for answer in (pair.first, pair.second):
            compared[answer.annotator] += 1
            agreed[answer.annotator] += pair.agree
    return compared, agreed


def _days(answers: Iterable[Answer]) -> Counter[date]:
    return Counter(a.time.astimezone(UTC).date() for a in answers)


def _in_words(seconds: float) -> str:
    """Write a time as people say it.

    Examples
    --------
    >>> [_in_words(s) for s in (20, 100, 5000, 40_000)]
    ['a minute', '2 minutes', '1.4 hours', '11 hours']
    """
    minutes = seconds / 60.0
    if minutes < 1.5:
        return "a minute"
    if minutes < 60:
        return f"{minutes:.0f} minutes"
    return f"{minutes / 60:.2g} hours"
