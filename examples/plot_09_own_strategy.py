"""
Your own strategy: one method, drawn rows, and a contract
=========================================================

A strategy is a class that says which row is asked about next. You learn to write one that asks the model, to draw rows
so that something is guaranteed, to compare it with the strategies of the package, and to run the tests that every
strategy passes.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits

from activefs import Pool, Session
from activefs.exceptions import InvalidInputError
from activefs.strategies import Draw, State, Strategy, draw_random
from activefs.testing import StrategyContract

# %%
# The idea
# --------
# "assisted", the default, takes turns: a row that the model is unsure of, then one that is drawn. Only drawn rows count
# for what is guaranteed. Ours draws *every* row, but unsure ones more often. A part of the probability is the same for
# all rows, so that none is left without a chance.


class Leaning(Strategy):
    """Draw rows at random, those more often of which the model is unsure.

    Parameters
    ----------
    even : float, default 0.5
        Share of the probability that all open rows have alike, above 0.
    unseen : float, default 0.5
        Class probability assumed for a value that was never labelled.
    """

    name = "leaning"
    estimator = "assisted"  # features are judged by the table that the model completes
    needs_assistant = True  # it asks the model
    needs_k = False  # and does not care how many features are wanted
    reads_values = True  # the model looks at values, so they cannot be renamed at will

    def __init__(self, *, even: float = 0.5, unseen: float = 0.5) -> None:
        super().__init__(unseen=unseen)
        if not 0 < even <= 1:
            raise InvalidInputError(f"even must be above 0 and at most 1, got {even!r}")
        self.even = even

    def ask(self, state: State, rng: np.random.Generator) -> Draw:
        found = state.completion()
        if found is None:  # the model knows nothing before it has ten labels
            return draw_random(state, rng)
        unsure = np.zeros(state.pool.n_rows)
        unsure[found.rows] = 1 - (found.probabilities**2).sum(axis=1)  # 0 if it is sure of a class
        unsure[~state.available] = 0
        if unsure.sum() == 0:
            return draw_random(state, rng)
        chances = self.even * state.available / state.open_rows.count + (1 - self.even) * unsure / unsure.sum()
        return Draw(int(rng.choice(chances.size, p=chances)), chances)


# %%
# An object of it goes where a name would go. It prints as the expression that makes it, and whatever it draws is
# checked: probabilities that do not add up to 1, or a row that cannot be asked, are refused.

digits = load_digits()
images, odd = digits.data[:600], digits.target[:600] % 2 == 1
pool = Pool.from_table(images)
session = Session(pool, 10, strategy=Leaning(even=0.3), classes=[False, True], random_state=0)
for _ in range(12):
    row = session.ask()
    session.tell(row, odd[row])
session

# %%
# The contract
# ------------
# ``activefs.testing`` has tests for strategies. In a test module, pytest finds them in a subclass by itself; each is a
# method that can be called as well.


class TestLeaning(StrategyContract):
    def create(self) -> Strategy:
        return Leaning()


tests = [name for name in dir(TestLeaning) if name.startswith("test_")]
for name in tests:
    getattr(TestLeaning(), name)()
print(f"{len(tests)} tests passed, such as:")
print(*tests[-3:], sep="\n")

# %%
# One of them compares how often rows come up, asked in the same state with many random numbers, with the probabilities
# that the strategy says. What is guaranteed rests on that.
#
# Is it any good?
# ---------------
# That is another question. First, what ten chosen pixels lack against the true ten best, on a table whose labels are
# all known:

LOOKS = {"assisted": ("#0b6e99", "-o"), "random": ("#b0651d", "--s"), "leaning": ("#7a3e9d", "-.^")}
STRATEGIES: dict[str, str | Strategy] = {"assisted": "assisted", "random": "random", "leaning": Leaning()}
everything = Session(pool, 10, strategy="random", classes=[False, True])
everything.tell(range(pool.n_rows), odd)
truth = everything.values()  # what each pixel leaves unknown: less is better
least = np.sort(truth)[:10].sum()

SEEDS, LABELS = 3, (20, 40, 60, 80)
figure, axes = plt.subplots(figsize=(5.2, 3.4), layout="constrained")
for name, (colour, line) in LOOKS.items():
    gaps = []
    for seed in range(SEEDS):
        session = Session(
            pool,
            10,
            strategy=STRATEGIES[name],
            estimator="assisted",
            budget=max(LABELS),
            classes=[False, True],
            random_state=seed,
        )
        while not session.finished:
            row = session.ask()
            session.tell(row, odd[row])
            if session.n_labels in LABELS:
                gaps.append(truth[session.leaders()].sum() - least)
    axes.plot(LABELS, np.reshape(gaps, (SEEDS, -1)).mean(axis=0), line, color=colour, markersize=5, label=name)
axes.set(xlabel="labels", ylabel="true gap (nats)", ylim=(0, None))
axes.set_title(f"True gap against labels by strategy:\nodd digits, means of {SEEDS} runs", fontsize=11)
axes.legend(frameon=False)
plt.show()

# %%
# Then what is guaranteed, which needs few features with clear differences: two of eight quick signs of an illness, in a
# made-up clinic.

rng = np.random.default_rng(0)
ill = rng.random(1000) < 0.4
HOW_OFTEN = {"antigen test": (0.93, 0.04), "sniff test": (0.88, 0.10), "fever": (0.60, 0.35), "cough": (0.55, 0.40)}
signs = pd.DataFrame({name: rng.random(1000) < np.where(ill, *rates) for name, rates in HOW_OFTEN.items()})
for name in ("region", "weekday", "ward", "doctor"):
    signs[name] = rng.integers(0, 4, size=1000)

figure, axes = plt.subplots(figsize=(5.2, 3.4), layout="constrained")
for name, (colour, line) in LOOKS.items():
    session = Session(
        signs,
        2,
        strategy=STRATEGIES[name],
        estimator="assisted",
        budget=150,
        classes=[False, True],
        random_state=0,
    )
    counts: list[int] = []
    guaranteed: list[float] = []
    while not session.finished:
        row = session.ask()
        session.tell(row, ill[row])
        if session.n_labels % 25 == 0:
            gap = session.selection().guaranteed_gap
            counts.append(session.n_labels)
            guaranteed.append(np.nan if gap is None else gap)
    axes.plot(counts, guaranteed, line, color=colour, markersize=5, label=name)
axes.set(xlabel="labels", ylabel="guaranteed gap (nats)", ylim=(0, None))
axes.set_title("Guaranteed gap against labels by strategy:\neight quick signs, one run each, seed 0", fontsize=11)
axes.legend(frameon=False)
plt.show()

# %%
# What to take away
# -----------------
# A class with ``ask`` is all there is to a strategy. If it draws its rows and says with which probabilities, something
# is guaranteed; the more even these are, the more. Here the drawn rows of "leaning" found the features about as fast
# as "assisted", and guaranteed more with the same labels, but less than plain random rows. That is one table each, and
# few runs: before you believe in a strategy, try it on several tables that resemble yours. Run the contract first; a
# strategy that looks at what it should not, or forgets a seed, is found by it.
#
# An array of probabilities has one entry for each row. For tables with many millions of them, ``Mixture`` says the same
# in a few numbers; parameters, scores of rows on a cluster and the rest are in :doc:`the guide </guide/extending>`.
#
# See also
# --------
# - :doc:`/guide/extending`: a strategy step by step, and other parts. :doc:`/guide/strategies`: those that there are.
# - :doc:`/results/leaderboard/report`: how strategies are compared.
# - :class:`activefs.strategies.Strategy`, :class:`activefs.strategies.State`, :class:`activefs.strategies.Draw`,
#   :class:`activefs.strategies.Mixture`, :class:`activefs.testing.StrategyContract`.
