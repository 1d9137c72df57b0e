"""Where a study stands, in numbers: progress, the current top k, how contested it is, who did how much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from activefs.engine import Position
from activefs.rendering import labels_used, words_for
from activefs.storages import Label
from activefs.study._engine import StudyEngine
from activefs.study._people import AnnotatorProgress, Pace, TimeLeft, annotators_of, pace_of, time_left
from activefs.tables import LeftOut

if TYPE_CHECKING:
    from activefs.agreement import Agreement
    from activefs.outlook import Forecast, ModelCheck
    from activefs.selection import Selection


@dataclass(frozen=True)
class RankedFeature:
    """One of the k chosen features.

    Attributes
    ----------
    rank : int
        1 for the best.
    name : str
        The feature.
    score, lower, upper : float
        Estimated quality and its bounds.
    chance : float
        The quality that chance alone would give.
    above_chance : bool
        Whether the quality is above what chance may give.
    contested : bool
        Whether it could still change places with a feature outside the top k, within the intervals: if the chosen
        features were as bad, and all others as good, as these allow, the same rule would not choose it.
    probability : float or None
        The believed probability that it belongs to the true top k; None if nobody says.
    challengers : int
        How many features outside the top k would then be chosen; 0 if this one is not contested.
    strongest : str
        The first of them; empty if there is none.
    values : tuple of str
        What the values of the feature are.
    """

    rank: int
    name: str
    score: float
    lower: float
    upper: float
    chance: float
    above_chance: bool
    contested: bool
    challengers: int
    strongest: str
    values: tuple[str, ...]
    probability: float | None = None


@dataclass(frozen=True)
class Summary:
    """What the labels of a study amount to; kept in the study with the position that it belongs to.

    Attributes
    ----------
    places : tuple of RankedFeature
        The chosen features, best first; none while any ranking would be arbitrary.
    selection : mapping
        The same as the attributes of a `Selection`, in lists.
    sure : str
        How far the choice can be trusted, in a few words.
    caution : str
        Why the choice means little so far; empty if it does mean something.
    finished : str
        Why there is nothing left to ask, whoever holds a row; empty if there is.
    finished_when_idle : str
        The same for the time when nobody holds a row any more.
    cost : float or None
        What the labels cost together, if they have a price.
    n_features : int
        Features that vary.
    left_out : tuple of LeftOut
        Columns that are no features although nobody asked for that.
    """

    places: tuple[RankedFeature, ...]
    selection: Mapping[str, Any]
    sure: str
    caution: str
    finished: str
    finished_when_idle: str
    cost: float | None
    n_features: int
    left_out: tuple[LeftOut, ...]

    def to_json(self) -> dict[str, Any]:
        """Write it as what JSON can hold."""
        return asdict(self)

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Summary:
        """Read it.

        Raises
        ------
        KeyError, TypeError
            If it was written by another release.
        """
        places = tuple(RankedFeature(**{**p, "values": tuple(p["values"])}) for p in content["places"])
        left_out = tuple(LeftOut(**column) for column in content["left_out"])
        return cls(**{**content, "places": places, "left_out": left_out})


@dataclass(frozen=True)
class Status:
    """Where a study stands.

    Attributes
    ----------
    n_labels : int
        Rows that have a label.
    budget : float or None
        Labels in all, or the sum of what they may cost.
    cost : float or None
        What the labels cost together, if they have a price.
    n_rows, n_features : int
        Rows of the table, and its columns that vary.
    n_skipped, n_open : int
        Rows that cannot be labelled, and rows that somebody holds.
    certified : bool
        Whether the chosen features are guaranteed to be the best k, with probability 1 - delta.
    finished : str
        Why there is nothing left to ask; empty if there is.
    caution : str
        Why the choice means little so far, or that labels look like a measurement; empty if neither is so.
    places : tuple of RankedFeature
        The chosen features, best first; none while any ranking would be arbitrary.
    annotators : tuple of AnnotatorProgress
        Who did how much, most labels first.
    classes : tuple of (label, int)
        The classes, and how many rows each of them has.
    criterion : str
        The quality measure.
    left_out : tuple of LeftOut
        Columns that are no features although nobody asked for that, and why.
    last : int
        Number of the last entry of the log.
    summary : Summary
        What the labels amount to.
    pace : Pace
        How fast annotators are.
    agreement : Agreement or None
        How far they agree; None if nothing is asked twice.
    disagreements : int
        Rows that an owner is to settle.
    overlap : float
        Share of rows that a second annotator answers.

    See Also
    --------
    activefs.Study.status : Gives it, and has an example.
    """

    n_labels: int
    budget: float | None
    cost: float | None
    n_rows: int
    n_features: int
    n_skipped: int
    n_open: int
    certified: bool
    finished: str
    caution: str
    places: tuple[RankedFeature, ...]
    annotators: tuple[AnnotatorProgress, ...]
    classes: tuple[tuple[Label, int], ...]
    criterion: str
    left_out: tuple[LeftOut, ...]
    last: int
    summary: Summary
    pace: Pace
    agreement: Agreement | None = None
    disagreements: int = 0
    overlap: float = 0.0

    def time_left(self, ahead: Forecast | None = None) -> TimeLeft | None:
        """Say how long it will take: until the budget is used, or until it is done if that is foreseen to be sooner.

        Parameters
        ----------
        ahead : Forecast, optional
            What is foreseen: `Study.forecast()`.

        Returns
        -------
        TimeLeft or None
            None if nobody can say, because there is no budget and nothing is foreseen.
        """
        rows = None if self.budget is None or self.cost is not None else max(0, int(self.budget) - self.n_labels)
        if ahead is not None and ahead.state == "ahead" and ahead.more is not None:
            rows = ahead.more if rows is None else min(rows, ahead.more)
        if self.finished:
            rows = 0
        return None if rows is None else time_left(self.pace, rows, self.overlap)

    @property
    def arbitrary(self) -> str:
        """Why no features are listed; empty if they are."""
        return str(self.summary.selection.get("arbitrary", ""))

    @property
    def model_check(self) -> ModelCheck | None:
        """How good the model is on rows that it did not know; None if features are judged without one."""
        from activefs.outlook import ModelCheck

        found = self.summary.selection.get("model_check")
        return None if found is None else ModelCheck.from_json(found)

    @property
    def n_contested(self) -> int:
        """How many of the chosen features are contested."""
        return sum(place.contested for place in self.places)

    @property
    def contest(self) -> str:
        """What is contested, in a sentence."""
        from activefs.rendering import contest

        return contest(self.n_contested, len(self.places))

    @property
    def selection(self) -> Selection:
        """The chosen features."""
        from activefs.selection import Selection

        return Selection.from_json(self.summary.selection)

    @property
    def sure(self) -> str:
        """How far the choice can be trusted, in a few words."""
        return self.summary.sure

    @property
    def guarantee(self) -> str:
        """What is guaranteed of the choice, in a few words."""
        return self.selection.guarantee

    @property
    def used(self) -> str:
        """What is used of the budget, in words."""
        return labels_used(self.n_labels, self.cost, self.budget)

    def to_json(self) -> dict[str, Any]:
        """Write it as what JSON can hold, without what can be computed from the rest."""
        check = self.model_check
        kept = {name: value for name, value in asdict(self).items() if name != "summary"}
        left = self.time_left()
        return kept | {
            "agreement": None
            if self.agreement is None
            else {**self.agreement.to_json(), "sentence": str(self.agreement)},
            "time_left": None if left is None else {**asdict(left), "sentence": str(left)},
            "sure": self.sure,
            "arbitrary": self.arbitrary,
            "unit": words_for(self.criterion).unit,
            "model_check": None if check is None else {**check.to_json(), "sentence": str(check)},
        }


@dataclass(frozen=True)
class Point:
    """After so many labels: how many of today's top k were there already, and how open the choice was.

    Attributes
    ----------
    labels : int
        Labels then.
    settled : int
        How many of the features that are chosen today were chosen then.
    contested : int
        Features that could have changed places: some of those chosen then, and as many others.
    expected_gap : float or None
        What the features were expected to lack; None if features are judged by the labels alone.
    """

    labels: int
    settled: int
    contested: int
    expected_gap: float | None = None


def key_of(position: Position) -> str:
    """Name of what is kept for a position; other releases may compute other numbers."""
    from activefs import __version__

    return position.key_of_answer(__version__)


@dataclass(frozen=True)
class Moment:
    """What the log says at one moment; all numbers of a status come from the same one.

    Attributes
    ----------
    position : Position
        What the labels amount to depends on it.
    annotators : tuple of AnnotatorProgress
        Who did how much, most labels first.
    classes : tuple of (label, int)
        The classes, and how many rows each of them has.
    caution : str
        That the labels look like a measurement; empty if they do not.
    last : int
        Number of the last entry.
    pace : Pace
        How fast annotators are.
    agreement : Agreement or None
        How far they agree; None if nothing is asked twice.
    disagreements : int
        Rows that an owner is to settle.
    """

    position: Position
    annotators: tuple[AnnotatorProgress, ...]
    classes: tuple[tuple[Label, int], ...]
    caution: str
    last: int
    pace: Pace
    agreement: Agreement | None
    disagreements: int


def moment_of(engine: StudyEngine) -> Moment:
    """Read what the log says now."""
    now = engine.clock()
    with engine.reading() as state:
        classes = engine.rules.classes(state)
        told = Counter(classes.class_of(a.told.label) for a in map(state.overlap.counted, state.told.values()))
        twice = bool(state.overlap.answers) or engine.settings.overlap > 0
        return Moment(
            position=state.position(now),
            annotators=annotators_of(state, now),
            classes=tuple((label, told[label]) for label in classes.values),
            caution=classes.caution(len(state.told)),
            last=state.last,
            pace=pace_of(state, now),
            agreement=state.overlap.agreement(state.told, engine.settings.seed) if twice else None,
            disagreements=len(state.overlap.disagreements(state.told)),
        )


def known_status(engine: StudyEngine, moment: Moment | None = None) -> Status | None:
    """Say where a study stands if its answer was computed before; neither table nor model is looked at."""
    moment = moment or moment_of(engine)
    content = engine.storage.find_answer(key_of(moment.position))
    if content is None:
        return None
    try:
        return make_status(engine, moment, Summary.from_json(content))
    except (KeyError, TypeError):
        return None


def make_status(engine: StudyEngine, moment: Moment, summary: Summary) -> Status:
    """Put together what the log says and what its labels amount to."""
    here = moment.position
    return Status(
        n_labels=len(here.told),
        budget=engine.settings.budget,
        cost=summary.cost,
        n_rows=engine.n_rows,
        n_features=summary.n_features,
        n_skipped=len(here.skipped),
        n_open=len(here.pending),
        certified=bool(summary.selection["certified"]),
        finished=summary.finished if here.pending else summary.finished_when_idle,
        caution="; ".join(filter(None, (summary.caution, moment.caution))),
        places=summary.places,
        annotators=moment.annotators,
        classes=moment.classes,
        criterion=engine.settings.criterion,
        left_out=summary.left_out,
        last=moment.last,
        summary=summary,
        pace=moment.pace,
        agreement=moment.agreement,
        disagreements=moment.disagreements,
        overlap=engine.settings.overlap,
    )
