"""The answer: k features, and how sure the choice is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from activefs.frames import frame_library
from activefs.notebook import notebook_bar
from activefs.outlook import Curve, ModelCheck, connection
from activefs.rendering import ABOUT_CHANCE, NOT_ABOVE_CHANCE, percent, words_for
from activefs.types import Bools, Floats, Ints

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BESIDES = ("all_features", "model_check", "curve_source")
"""What is computed from the same labels, and kept in another form or not at all."""
ARBITRARY = "No features are listed: any ranking would be arbitrary."


@dataclass(frozen=True, eq=False)
class FeatureEstimates:
    """Estimates of all features that vary, in the order of their columns.

    Attributes
    ----------
    features : array of int
        Columns of the table.
    names : tuple of str
        Their names.
    scores, lower, upper : array of float
        Estimated quality and its bounds.
    chance : array of float
        The quality that chance alone would give.
    above_chance : array of bool
        Whether the quality is above what chance may give.
    """

    features: Ints
    names: tuple[str, ...]
    scores: Floats
    lower: Floats
    upper: Floats
    chance: Floats
    above_chance: Bools


@dataclass(frozen=True, eq=False, repr=False)
class Selection:
    """The k features chosen, best first, and how sure the choice is.

    It is what :meth:`Session.selection`, :meth:`Study.selection` and ``ActiveFeatureSelector.selection_`` give;
    printed, it is a table, and in a notebook a page with bars.

    Attributes
    ----------
    features : array of int, shape (k,)
        Columns of the table, best first.
    names : tuple of str
        Their names.
    scores : array of float, shape (k,)
        Estimated quality: mutual information with the label in nats, or the reduction of the Gini
        impurity.
    lower, upper : array of float, shape (k,)
        Bounds of the quality. By the assisted estimate, what is believed: 1 - delta intervals of the model. By the
        plug-in estimate, the intervals of the paper: they steer AFS, take the class shares as known, and are neither
        guaranteed nor believed (:meth:`activefs.Session.guaranteed_bounds` has those that are guaranteed).
    certified : bool
        Whether these features are guaranteed to be the best k: with probability 1 - delta, whatever the model says.
    values : tuple of tuple of str
        What the values of each feature are: categories, or the ranges of its bins.
    n_labels : int
        Labels that the choice rests on.
    criterion : str
        The quality measure.
    estimator : str
        What the scores rest on: "plug-in" (the labelled rows) or "assisted" (all rows, completed by a model).
    expected_gap : float or None
        Assisted only: how much quality the k features together are expected to lack against the best k.
    informative : bool
        False if the assisted estimate finds that the labels so far could as well have nothing to do with the
        table: then the choice means nothing, and every lower bound is 0.
    chance : array of float, shape (k,), or None
        The score that chance alone would give: its expectation if the labels had nothing to do with the feature, and
        its values and the classes were as they are. A feature of many values shows much by chance. 0 for a score from
        which it was taken off.
    above_chance : array of bool, shape (k,), or None
        Whether the score is above what chance may give, at the session's confidence, to any of so many features; never,
        while `informative` is False. None if the selection was kept by a release that did not look at it.
    all_features : FeatureEstimates or None
        The same estimates of all features, chosen or not; None if the selection was read from a file.
    guaranteed_gap : float or None
        How much quality the k features together lack at most against the best k: guaranteed, with probability
        1 - delta, at all moments at once. 0 is certified. None if nothing can be guaranteed: with a redundancy rule,
        unless hardly a row is left.
    settled : bool
        Whether the rule of the paper would stop: its bounds leave no other feature contested. No guarantee; always
        False by the assisted estimate.
    delta : float
        Confidence parameter: guarantees hold with probability 1 - delta, believed bounds are 1 - delta intervals.
    probability : array of shape (columns,) or None
        Assisted only: for every column of the table, the believed probability that it belongs to the true best k; they
        add up to k. None with a redundancy rule.
    arbitrary : str
        Why the ranking is arbitrary: there is no label yet, or all are of one class. Then it is not shown.
    model_check : ModelCheck or None
        Assisted only: how often the model is right on rows predicted without their labels, and whether it knows that.
    curve_source : Curve or callable, optional
        What :meth:`curve` returns, or a function that computes it; None if it is not known.

    See Also
    --------
    Session.selection : Names the features.
    activefs.outlook.Curve : How many features are needed.
    activefs.outlook.ModelCheck : How good the model is.

    Notes
    -----
    Guide: :doc:`/guide/certainty` says what each of these numbers promises, :doc:`/method/assisted` how they are
    computed.

    Examples
    --------
    >>> from activefs import Session
    >>> X = [[a, b, c] for a in range(2) for b in range(2) for c in range(2)] * 5
    >>> session = Session(X, k=1, strategy="afs", random_state=0)
    >>> session.tell(range(40), [b for a, b, c in X])
    >>> selection = session.selection()
    >>> selection.names, selection.features.tolist(), selection.scores.round(3).tolist()
    (('x1',), [1], [0.693])
    >>> print(selection)
    1 feature, certified, from 40 labels
      1. x1 (column 1): 0.6931 [0.6931, 0.6931] nats
    Guaranteed to be the best 1, with probability 95% or more.
    """

    features: Ints
    names: tuple[str, ...]
    scores: Floats
    lower: Floats
    upper: Floats
    certified: bool
    values: tuple[tuple[str, ...], ...] = ()
    n_labels: int = 0
    criterion: str = "mutual_information"
    estimator: str = "plug-in"
    expected_gap: float | None = None
    informative: bool = True
    chance: Floats | None = None
    above_chance: Bools | None = None
    all_features: FeatureEstimates | None = None
    guaranteed_gap: float | None = None
    settled: bool = False
    delta: float = 0.05
    probability: Floats | None = None
    arbitrary: str = ""
    model_check: ModelCheck | None = None
    curve_source: Curve | Callable[[], Curve] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for name in ("names", "scores", "lower", "upper", "chance", "above_chance"):
            given = getattr(self, name)
            if given is not None and len(given) != len(self.features):
                raise ValueError(f"{name} has {len(given)} entries for {len(self.features)} features")

    def __len__(self) -> int:
        return len(self.features)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Selection):
            return NotImplemented
        return all(
            np.array_equal(np.asarray(getattr(self, f.name)), np.asarray(getattr(other, f.name)))
            if isinstance(getattr(self, f.name), np.ndarray)
            else getattr(self, f.name) == getattr(other, f.name)
            for f in fields(self)
            if f.name not in _BESIDES
        )

    __hash__ = None  # type: ignore[assignment]  # holds arrays

    def __getstate__(self) -> dict[str, Any]:
        # A curve that was computed is kept; what it would be computed from is a whole session.
        kept = self.__dict__["curve_source"]
        return {**self.__dict__, "curve_source": kept if isinstance(kept, Curve) else None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({f.name: f.default for f in fields(self) if f.default is not MISSING} | state)

    @property
    def sure(self) -> str:
        """How far the choice can be trusted, in a few words: str.

        Examples
        --------
        >>> nothing = np.array([])
        >>> Selection(nothing, (), nothing, nothing, nothing, False, estimator="assisted", expected_gap=0.0123).sure
        'expected to lack 0.012 nats against the best'
        """
        if self.certified:
            return "certified"
        if why := self.connection:
            return why
        if self.estimator == "assisted" and self.expected_gap is not None:
            return f"expected to lack {words_for(self.criterion).amount(self.expected_gap, 3)} against the best"
        return "settled by the rule of the paper, not certified" if self.settled else "not certified"

    @property
    def guarantee(self) -> str:
        """What is guaranteed of the choice, in a few words: str.

        Examples
        --------
        >>> nothing = np.array([])
        >>> Selection(nothing, (), nothing, nothing, nothing, False, guaranteed_gap=0.25).guarantee
        'guaranteed to lack at most 0.250 nats against the best, with probability 95% or more'
        """
        if self.guaranteed_gap is None or (self.arbitrary and not self.certified):
            return "nothing is guaranteed so far"
        probability = f"with probability {100 * (1.0 - self.delta):g}% or more"
        if self.certified:
            return f"guaranteed to be the best {len(self)}, {probability}"
        lacking = words_for(self.criterion).amount(self.guaranteed_gap, 3)
        return f"guaranteed to lack at most {lacking} against the best, {probability}"

    @property
    def connection(self) -> str:
        """Why the choice means little: too few labels to say, or no connection found; empty if it means something."""
        shown = self.informative
        if self.estimator == "plug-in" and self.above_chance is not None:
            shown = self.certified or bool(self.above_chance.any())
        return connection(self.n_labels, shown, self.arbitrary)

    @property
    def by_chance(self) -> tuple[bool, ...]:
        """Which of the features are not above chance: a tuple of bool, one per feature; all False if nobody looked."""
        return (False,) * len(self) if self.above_chance is None else tuple((~self.above_chance).tolist())

    def __str__(self) -> str:
        count = f"{len(self)} feature{'' if len(self) == 1 else 's'}"
        lines = [f"{count}, {self.sure}, from {self.n_labels} label{'' if self.n_labels == 1 else 's'}"]
        if self.arbitrary:
            return f"{lines[0]}\n{ARBITRARY}"
        unit = words_for(self.criterion).unit
        for i, (column, name) in enumerate(zip(self.features, self.names, strict=True)):
            bounds = f"[{self.lower[i]:.4f}, {self.upper[i]:.4f}]"
            mark = f", {NOT_ABOVE_CHANCE}" if self.by_chance[i] else ""
            estimate = f"{self.scores[i]:.4f} {bounds}{unit and f' {unit}'}"
            likely = "" if self.probability is None else f", {percent(self.probability[column])} likely among the best"
            lines.append(f"{i + 1:3d}. {name} (column {column}): {estimate}{likely}{mark}")
        if any(self.by_chance):
            lines.append(ABOUT_CHANCE)
        if self.guaranteed_gap is not None:
            lines.append(f"{self.guarantee[:1].upper()}{self.guarantee[1:]}.")
        return "\n".join(lines)

    def to_frame(self, *, all_features: bool = False) -> Any:
        """Return the chosen features as a data frame, best first; with `all_features`, all that vary.

        Parameters
        ----------
        all_features : bool, default False
            Whether features that were not chosen come after those that were, by their scores.

        Returns
        -------
        DataFrame
            Of pandas, or of polars if pandas is not installed: one row per feature, with `feature` (its name),
            `column`, its score under the name of the criterion, `lower`, `upper`, and what is known besides of
            `probability`, `chance` and `above_chance`. Before them `rank`, from 1; of all features instead, as the last
            column, `chosen`.

        Raises
        ------
        ValueError
            If all features are wanted of a selection that was read from a file, which holds the chosen ones only.

        Examples
        --------
        >>> from activefs import Session
        >>> X = [[a, b, c] for a in range(2) for b in range(2) for c in range(2)] * 5
        >>> session = Session(X, k=2, strategy="afs", random_state=0)
        >>> session.tell(range(40), [b + c for a, b, c in X])
        >>> session.selection().to_frame()[["rank", "feature", "mutual_information"]].round(3)
           rank feature  mutual_information
        0     1      x1               0.347
        1     2      x2               0.347
        >>> session.selection().to_frame(all_features=True)["feature"].tolist()
        ['x1', 'x2', 'x0']
        """
        frame = frame_library()
        if not all_features:
            return frame({"rank": np.arange(1, len(self) + 1), **_columns(self, self.criterion, self.probability)})
        every = self.all_features
        if every is None:
            raise ValueError("this selection was read from a file, which holds the chosen features only")
        rank = {int(column): i for i, column in enumerate(self.features, start=1)}
        ranks = [rank.get(int(column), 0) for column in every.features]
        order = np.lexsort((-every.scores, np.asarray([r or len(rank) + 1 for r in ranks])))
        columns = {"rank": np.asarray(ranks), **_columns(every, self.criterion, self.probability)}
        columns["chosen"] = columns.pop("rank") > 0
        return frame({name: np.asarray(values, dtype=getattr(values, "dtype", object))[order]
                      for name, values in columns.items()})  # fmt: skip

    def curve(self) -> Curve:
        """Say what 1 to 2k features tell, each alone and together: how many are needed.

        It is computed when it is asked for first, which takes a second or so, and is kept with this selection; another
        process finds it there only if it was asked for before.

        Returns
        -------
        Curve
            A table if it is printed; it can be plotted.

        Raises
        ------
        ValueError
            If the selection was read from a file that does not hold it.

        Examples
        --------
        >>> import numpy as np
        >>> from activefs import Session
        >>> X = np.random.default_rng(0).integers(0, 2, size=(300, 6))
        >>> session = Session(X, k=1, strategy="random", random_state=0)
        >>> session.tell(range(120), X[:120, 1] + 2 * X[:120, 4])  # two columns make the label, and one is wanted
        >>> session.selection().curve().percent.round(-1).tolist()  # of what all columns tell
        [50.0, 100.0]
        """
        found = self.curve_source
        if found is None:
            raise ValueError("this selection came from a file without its curve: ask the session, or the study, for it")
        if not isinstance(found, Curve):
            with notebook_bar("trying features on labels that were left out"):
                found = found()
            object.__setattr__(self, "curve_source", found)
        return found

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draw the chosen features, best on top, each with a bar for its score and a line for its interval.

        Parameters
        ----------
        axes : Axes of matplotlib, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        Axes of matplotlib
            What was drawn in; ``axes.figure.savefig("features.png")`` writes it.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> one = Selection(np.array([3]), ("age",), np.array([0.2]), np.array([0.1]), np.array([0.4]), False)
        >>> axes = one.plot(Figure().subplots())
        >>> axes.get_xlabel()
        'mutual information (nats)'
        """
        from activefs.rendering import draw_ranking

        if axes is None:
            import matplotlib.pyplot as plt

            axes = plt.subplots(figsize=(7.2, 1.0 + 0.32 * len(self)), layout="constrained")[1]
        words = words_for(self.criterion)
        if self.arbitrary:
            axes.set_axis_off()
            axes.text(0.5, 0.5, f"{self.sure}", ha="center", va="center", wrap=True)
            return axes
        return draw_ranking(
            self.names,
            self.scores,
            self.lower,
            self.upper,
            by_chance=self.by_chance,
            axis_title=words.title,
            axes=axes,
        )

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from activefs.rendering import render

        return render(
            "selection.html",
            selection=self,
            words=words_for(self.criterion),
            about_chance=ABOUT_CHANCE,
            about_arbitrary=ARBITRARY,
        )

    def to_json(self) -> dict[str, Any]:
        """Write it as what JSON can hold, without the features that were not chosen; with its curve, if it is known.

        Returns
        -------
        dict
            Attributes by name, arrays as lists; :meth:`from_json` reads it.
        """
        kept = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in _BESIDES}
        kept["probability"] = _likely(self.probability)
        kept["model_check"] = None if self.model_check is None else self.model_check.to_json()
        if isinstance(self.curve_source, Curve):
            kept["curve"] = self.curve_source.to_json()
        return {name: v.tolist() if isinstance(v, np.ndarray) else v for name, v in kept.items()}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Selection:
        """Read what :meth:`to_json` wrote.

        Parameters
        ----------
        content : mapping
            Attributes by name.

        Returns
        -------
        Selection
            The same; it equals the one that was written.

        Examples
        --------
        >>> one = Selection(np.array([3]), ("age",), np.array([0.2]), np.array([0.1]), np.array([0.4]), False)
        >>> Selection.from_json(one.to_json()) == one
        True
        """
        arrays = {name: np.asarray(content[name], dtype=np.float64) for name in ("scores", "lower", "upper")}
        if content.get("chance") is not None:
            arrays["chance"] = np.asarray(content["chance"], dtype=np.float64)
            arrays["above_chance"] = np.asarray(content["above_chance"], dtype=bool)
        values = tuple(map(tuple, content["values"]))
        features, names = np.asarray(content["features"], dtype=np.int64), tuple(content["names"])
        besides: dict[str, Any] = {"probability": _from_likely(content.get("probability"))}
        if (check := content.get("model_check")) is not None:
            besides["model_check"] = ModelCheck.from_json(check)
        if (curve := content.get("curve")) is not None:
            besides["curve_source"] = Curve.from_json(curve)
        rest = {name: value for name, value in content.items() if name not in ("model_check", "curve", "probability")}
        return cls(**{**rest, **arrays, **besides, "features": features, "names": names, "values": values})


_UNLIKELY = 5e-4


def _likely(probability: Floats | None) -> dict[str, Any] | None:
    """Write probabilities of columns, of which there may be thousands, without those that are next to nothing."""
    if probability is None:
        return None
    at = np.flatnonzero(probability >= _UNLIKELY)
    return {"columns": probability.size, "at": at.tolist(), "probability": probability[at].tolist()}


def _from_likely(content: Mapping[str, Any] | None) -> Floats | None:
    if content is None:
        return None
    found = np.zeros(content["columns"])
    found[np.asarray(content["at"], dtype=np.int64)] = content["probability"]
    return found


def _columns(of: Selection | FeatureEstimates, criterion: str, probability: Floats | None) -> dict[str, Any]:
    named = {"feature": np.asarray(of.names, dtype=object), "column": of.features}
    measured = {**named, criterion: of.scores, "lower": of.lower, "upper": of.upper}
    if probability is not None:
        measured["probability"] = probability[of.features]
    return measured if of.chance is None else {**measured, "chance": of.chance, "above_chance": of.above_chance}
