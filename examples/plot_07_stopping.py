"""
Stopping by itself: what is expected, and what is guaranteed
============================================================

How many labels are enough? A session can stop when its choice is expected to lack little, or when it is guaranteed to.
You learn the two settings, how far apart they are, and when which one is worth its price.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits

from activefs import Pool, Session

# %%
# By what is expected
# -------------------
# Ten pixels that tell whether a digit is odd. After every tenth label we note what the session expects its choice to
# lack, and what it truly lacks, which is known here since all labels are.

digits = load_digits()
images, odd = digits.data[:600], digits.target[:600] % 2 == 1
pool = Pool.from_table(images)
everything = Session(pool, 10, strategy="random", classes=[False, True])
everything.tell(range(pool.n_rows), odd)
truth = everything.values()  # what each pixel leaves unknown: less is better
least = np.sort(truth)[:10].sum()

session = Session(pool, 10, budget=150, classes=[False, True], random_state=0)
labels: list[int] = []
expected: list[float] = []
true: list[float] = []
while not session.finished:
    row = session.ask()
    session.tell(row, odd[row])
    if session.n_labels >= 20 and session.n_labels % 10 == 0:
        gap = session.selection().expected_gap
        labels.append(session.n_labels)
        expected.append(np.nan if gap is None else gap)  # nothing is drawn where nothing is said
        true.append(truth[session.leaders()].sum() - least)

figure, axes = plt.subplots(figsize=(5.2, 3.4), layout="constrained")
axes.plot(labels, expected, "-o", color="#0b6e99", label="expected gap")
axes.plot(labels, true, "--D", color="#b0651d", markersize=4, label="true gap")
axes.set(xlabel="labels", ylabel="gap (nats)", ylim=(0, None))
axes.set_title("Expected and true gap against labels:\nodd digits, one run, seed 0", fontsize=11)
axes.legend(frameon=False)
plt.show()

# %%
# ``stop_when_gap_below=`` ends a session on the expected gap once its model has learnt from 30 labels, so with 31 at
# the earliest. Three runs:

for seed in range(3):
    session = Session(pool, 10, stop_when_gap_below=0.1, classes=[False, True], random_state=seed)
    while not session.finished:
        row = session.ask()
        session.tell(row, odd[row])
    print(f"{session.n_labels} labels: {session.reason}; true gap {truth[session.leaders()].sum() - least:.3f}")

# %%
# By what is guaranteed
# ---------------------
# A guarantee takes nothing on trust, so it needs few features with clear differences, or many labels. Here is a made-up
# clinic: a laboratory could test 2,000 patients, and two of eight quick signs are wanted instead.

rng = np.random.default_rng(0)
ill = rng.random(2000) < 0.4
HOW_OFTEN = {"antigen test": (0.93, 0.04), "sniff test": (0.88, 0.10), "fever": (0.60, 0.35), "cough": (0.55, 0.40)}
signs = pd.DataFrame({name: rng.random(2000) < np.where(ill, *rates) for name, rates in HOW_OFTEN.items()})
for name in ("region", "weekday", "ward", "doctor"):
    signs[name] = rng.integers(0, 4, size=2000)

# %%
# What is guaranteed rests on rows that were drawn at random. The default chooses every second row; ``random`` draws all
# of them, and with ``estimator="assisted"`` the model judges features in both cases.

figure, axes = plt.subplots(figsize=(5.2, 3.6), layout="constrained")
for strategy, colour, line in (("assisted", "#0b6e99", "-o"), ("random", "#b0651d", "--s")):
    session = Session(
        signs, 2, strategy=strategy, estimator="assisted", budget=300, classes=[False, True], random_state=0
    )
    counts: list[int] = []
    guaranteed: list[float] = []
    while not session.finished:
        row = session.ask()
        session.tell(row, ill[row])
        if session.n_labels % 20 == 0:
            gap = session.selection().guaranteed_gap
            counts.append(session.n_labels)
            guaranteed.append(np.nan if gap is None else gap)
    axes.plot(counts, guaranteed, line, color=colour, markersize=4, label=strategy)
    print(f"{strategy}, {session.n_labels} labels: {session.selection().guarantee}")
axes.set(xlabel="labels", ylabel="guaranteed gap (nats)", ylim=(0, None))
axes.set_title("Guaranteed gap against labels by strategy:\neight quick signs, one run each, seed 0", fontsize=11)
axes.legend(frameon=False)
plt.show()

# %%
# ``stop_when_guaranteed_gap_below=`` ends a session on it; if the gap is 0, the choice is certified, which ends it as
# well.

session = Session(
    signs,
    2,
    strategy="random",
    estimator="assisted",
    stop_when_guaranteed_gap_below=0.1,
    classes=[False, True],
    random_state=0,
)
while not session.finished:
    row = session.ask()
    session.tell(row, ill[row])
print(f"{session.n_labels} labels: {session.reason}")
print(session.selection())

# %%
# What to take away
# -----------------
# ``stop_when_gap_below`` saves most labels and rests on the model: on a single table it may be wrong by a few times.
# ``stop_when_guaranteed_gap_below`` holds whatever the model says, and costs many more labels; draw all rows at random
# then. Both compare with a sum over the chosen features, so say what is little in comparison with what they tell.
#
# See also
# --------
# - :doc:`/guide/choosing`: k, a budget, and when to stop. :doc:`/guide/certainty`: expected and guaranteed.
# - :doc:`/results/trust/certificates/report`: how often a guarantee was wrong, and how many labels it takes.
# - :class:`activefs.Session` and :class:`activefs.Selection`.
