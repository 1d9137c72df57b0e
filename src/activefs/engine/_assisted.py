"""What a session answers by the assisted estimate."""

from __future__ import annotations

from functools import partial
from typing import Any

from activefs.criteria import Criterion
from activefs.engine._selection import make_assisted_selection
from activefs.estimates import AssistedEstimates, Estimates, ShownConnection
from activefs.exceptions import InvalidInputError
from activefs.model import Assistant, key_of, last_refit, simplest
from activefs.outlook import HeldOut, ModelCheck, check_model
from activefs.pool import Pool
from activefs.redundancy import Contested, Rule, TopK, challenged
from activefs.seeds import stream
from activefs.selection import Selection
from activefs.strategies import Strategy
from activefs.types import Estimator, Floats, Ints

_FEWEST_TO_STOP = 30
"""Labels that the model must know before an expected gap may end a session: with fewer it does not know what it does
not know. It knows them one label later."""
_REMEMBERED = 3
_DRAWS_OF_RULES = 20
"""Posterior draws in which a redundancy rule chooses again, which takes it a while."""


class AssistedAnswer:
    """Leaders, selection, challengers and expected gap; a function of the labels, which may come and go.

    Labels are read from the plug-in estimates, which a session keeps in any case.
    """

    def __init__(
        self, assistant: Assistant, criterion: Criterion, rule: Rule, k: int, *, delta: float, seed: int, n_threads: int
    ) -> None:
        self._assistant, self._criterion, self._rule, self._k = assistant, criterion, rule, k
        self._delta, self._seed, self._threads = delta, seed, n_threads
        self._made: dict[bytes, AssistedEstimates] = {}
        self._connection = ShownConnection(assistant, delta)

    def estimates(self, plug_in: Estimates, n: int | None = None) -> AssistedEstimates:
        """The assisted estimates from the first n labels, or from all."""
        rows, labels = plug_in.labelled()
        rows, labels = rows[:n], simplest(labels[:n])
        key = key_of(plug_in.n_classes, rows, labels)
        if key not in self._made:
            while len(self._made) >= _REMEMBERED:
                del self._made[next(iter(self._made))]
            self._made[key] = AssistedEstimates(
                plug_in.pool,
                self._assistant.complete(rows, labels, plug_in.n_classes),
                self._criterion,
                delta=self._delta,
                seed=self._seed,
                n_threads=self._threads,
                connected=partial(self._connection.shown, rows, labels, plug_in.n_classes),
            )
        return self._made[key]

    def leaders(self, plug_in: Estimates, n: int | None = None) -> Ints:
        """The k features that look best."""
        estimates = self.estimates(plug_in, n)
        rng = stream(self._seed, 1, estimates.n_labels)
        return self._rule.choose(plug_in, self._k, rng, losses=estimates.value)

    def selection(
        self, plug_in: Estimates, leaders: Ints, limits: tuple[Floats, Floats], *, guaranteed_gap: float | None
    ) -> Selection:
        """Describe features that were chosen, within limits of what all features leave unknown."""
        estimates = self.estimates(plug_in)
        return make_assisted_selection(
            estimates,
            plug_in,
            leaders,
            limits,
            guaranteed_gap=guaranteed_gap,
            expected_gap=self.expected_gap(plug_in, leaders),
            ranked=isinstance(self._rule, TopK),
        )

    def expected_gap(self, plug_in: Estimates, leaders: Ints, n: int | None = None) -> float:
        """What the leaders are expected to lack against the rule's best choice, in what the rule makes of features."""
        estimates = self.estimates(plug_in, n)
        if isinstance(self._rule, TopK):
            return estimates.expected_gap(leaders)
        rng = stream(self._seed, 1, estimates.n_labels)
        return estimates.expected_lack(
            lambda values: self._rule.lacking(plug_in, leaders, rng, losses=values), _DRAWS_OF_RULES
        )

    def contested(self, plug_in: Estimates, leaders: Ints) -> Contested:
        """Who could take the places of features that were chosen."""
        rng = stream(self._seed, 1, plug_in.n_labels)
        bounds = self.estimates(plug_in).comparing_bounds()
        return challenged(plug_in, leaders, *bounds, self._rule, rng)

    def check(self, plug_in: Estimates, held_out: HeldOut) -> ModelCheck:
        """How good the model is."""
        estimates = self.estimates(plug_in)
        return check_model(estimates.left_out, plug_in.labelled()[1], held_out, 1.0 - self._delta)

    def lacks_less_than(self, gap: float, plug_in: Estimates) -> bool:
        """Whether the choice was expected to lack less than this when the model learnt last."""
        known = last_refit(plug_in.n_labels - 1)
        if known < _FEWEST_TO_STOP:
            return False
        estimates = self.estimates(plug_in, known)
        return estimates.informative and self.expected_gap(plug_in, self.leaders(plug_in, known), known) < gap


def checked_assistant(
    ready: Assistant | None, model: Any, pool: Pool, estimator: Estimator, strategy: Strategy, seed: int
) -> Assistant | None:
    """Return the assistant that a session needs, if it needs one."""
    if ready is not None:
        if ready.pool is not pool:
            raise InvalidInputError("the assistant was made for another pool: pass the same Pool object to both")
        return ready
    if estimator == "assisted" or strategy.needs_assistant:
        return Assistant(pool, model, seed)
    if model is not None:
        raise InvalidInputError(
            f"model is used by estimator='assisted' only; the strategy {strategy.name!r} goes with "
            f"estimator={estimator!r}"
        )
    return None
