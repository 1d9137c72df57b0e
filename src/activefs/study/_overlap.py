"""Rows that a second annotator answers, without seeing the first answer: what they said, and what is made of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from activefs.codec import text_of
from activefs.engine import Told
from activefs.study._records import Answer, Correction, Question, Settlement

if TYPE_CHECKING:
    from activefs.agreement import Agreement
    from activefs.engine import ClassProbabilities
    from activefs.storages import Label

_LEAST = 0.01
_DIGITS = 3
"""Class probabilities are rounded: the same on every machine, and not another position with every answer."""


class Pair(NamedTuple):
    """The two answers to a row, and what an owner decided about them, if only by correcting the first one."""

    first: Answer
    second: Answer
    settled: Settlement | None

    @property
    def agree(self) -> bool:
        """Whether both said the same class."""
        return text_of(self.first.said.label) == text_of(self.second.said.label)


class Overlap:
    """What is known of rows that are asked of a second annotator; kept up to date by the state of the study.

    Attributes
    ----------
    drawn : dict of int to None
        Rows that chance decided to ask of a second annotator, in the order in which they were drawn.
    open : dict of int to Question
        Those that are leased to a second annotator.
    answers : dict of int to Answer
        Second answers; a label of None: the second annotator cannot tell.
    settled : dict of int to Settlement
        What owners decided.
    """

    def __init__(self) -> None:
        self.drawn: dict[int, None] = {}
        self.open: dict[int, Question] = {}
        self.answers: dict[int, Answer] = {}
        self.settled: dict[int, Settlement] = {}
        self._probable: dict[int, Told] | None = None
        self._agreement: Agreement | None = None

    def changed(self) -> None:
        """Forget what was computed: an answer of a pair is another one, or gone."""
        self._probable = self._agreement = None

    def pairs(self, told: Mapping[int, Answer]) -> Iterator[Pair]:
        """List the rows that two annotators gave a label."""
        for row, second in self.answers.items():
            if second.label is not None and (first := told.get(row)) is not None and first.said.label != "":
                yield Pair(first, second, self.settled.get(row) or _decided_before(first))

    def disagreements(self, told: Mapping[int, Answer]) -> list[Pair]:
        """List the rows with two different labels that nobody has decided about, in the order of the second answers."""
        return [pair for pair in self.pairs(told) if not pair.agree and pair.settled is None]

    def waiting(self, told: Mapping[int, Answer], now: datetime) -> list[Answer]:
        """List first answers whose rows await a second annotator, and which nobody holds."""
        held = {row for row, question in self.open.items() if question.until > now}
        return [
            told[row]
            for row in self.drawn
            if row in told and row not in self.answers and row not in self.settled and row not in held
        ]

    def labels(self) -> list[Label]:
        """List what second annotators and owners said, each once."""
        seconds = [answer.label for answer in self.answers.values() if answer.label is not None]
        return list(dict.fromkeys([*seconds, *(decided.label for decided in self.settled.values())]))

    def lapsed(self, now: datetime) -> list[Question]:
        """List second questions whose lease has run out."""
        return [question for question in self.open.values() if question.until <= now]

    # --- what is made of it ---

    def told(self, first: Answer, told: Mapping[int, Answer]) -> Told:
        """Say what the engine is told about a row: its label, what was decided, or what is probable."""
        if (decided := self.settled.get(first.row)) is not None:
            return decided.told
        if not self.answers:
            return first.told
        if self._probable is None:
            self._probable = _probable(list(self.pairs(told)))
        return self._probable.get(first.row, first.told)

    def agreement(self, told: Mapping[int, Answer], seed: int) -> Agreement:
        """Say how far annotators agree."""
        from activefs.agreement import agreement_of

        if self._agreement is None:
            pairs = [
                (
                    (pair.first.annotator, text_of(pair.first.said.label)),
                    (pair.second.annotator, text_of(pair.second.said.label)),
                )
                for pair in self.pairs(told)
            ]
            self._agreement = agreement_of(pairs, seed)
        return self._agreement

    def counted(self, first: Answer) -> Answer:
        """Return the first answer as it counts: with what an owner decided."""
        decided = self.settled.get(first.row)
        if decided is None:
            return first
        before = first.label if first.correction is None else first.correction.label
        correction = Correction(before, decided.annotator, decided.time)
        return replace(first, label=decided.label, told=decided.told, correction=correction)


def _probable(pairs: list[Pair]) -> dict[int, Told]:
    """Return class probabilities of rows whose answers differ and are not settled, by the model of Dawid and Skene.

    They depend on these rows alone: with each label of another row the position would be another one throughout.
    """
    if all(pair.agree or pair.settled for pair in pairs):
        return {}
    from activefs.agreement import dawid_skene

    said = [t.label for pair in pairs for t in (*(a.said for a in pair[:2]), *_decided(pair))]
    labels = {text_of(label): label for label in reversed(said)}
    classes = {text: i for i, text in enumerate(sorted(labels))}
    people = {name: i for i, name in enumerate(sorted({a.annotator for pair in pairs for a in pair[:2]}))}
    answers = [
        (i, people[a.annotator], classes[text_of(a.said.label)]) for i, pair in enumerate(pairs) for a in pair[:2]
    ]
    rows, annotators, codes = zip(*answers, strict=True)
    found = dawid_skene(
        rows,
        annotators,
        codes,
        len(classes),
        known=[classes[text_of(t.label)] if (t := next(_decided(pair), None)) else -1 for pair in pairs],
    )
    names = [labels[text] for text in classes]
    return {
        pair.first.row: Told(pair.first.row, _mixture(names, p, pair), pair.first.asked)
        for pair, p in zip(pairs, found.probabilities.tolist(), strict=True)
        if not pair.agree and pair.settled is None
    }


def _decided_before(first: Answer) -> Settlement | None:
    """Return what an owner decided before there was a second answer, by correcting the first one."""
    if first.before is None or first.correction is None or first.label is None:
        return None
    return Settlement(first.id, first.row, first.label, first.correction.annotator, first.correction.time, first.told)


def _decided(pair: Pair) -> Iterator[Told]:
    if pair.settled is not None:
        yield pair.settled.told


def _mixture(names: list[Label], probabilities: list[float], pair: Pair) -> ClassProbabilities:
    """Keep the classes that somebody named, and others that are not next to impossible."""
    from activefs.engine import ClassProbabilities

    named = {text_of(a.told.label) for a in pair[:2]}
    kept = {
        name: max(p, _LEAST)
        for name, p in zip(names, probabilities, strict=True)
        if p >= _LEAST or text_of(name) in named
    }
    total = sum(kept.values())
    shares = {name: round(p / total, _DIGITS) for name, p in kept.items()}
    likeliest = max(shares, key=lambda name: shares[name])
    shares[likeliest] = round(shares[likeliest] + 1.0 - sum(shares.values()), _DIGITS)
    return ClassProbabilities(shares)
