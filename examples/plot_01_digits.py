"""
Digits: which pixels tell a 5 from a 9
======================================

A first example from beginning to end: 362 images of handwritten digits, 64 pixels each. Which 10 pixels tell most about
whether it is a 5 or a 9, if somebody has to look at every image that gets a label? You learn how to ask and tell, what
comes out, and how to check it where all labels happen to be known.
"""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from activefs import Pool, Session

digits = load_digits()
wanted = np.isin(digits.target, (5, 9))
images, labels = digits.data[wanted], digits.target[wanted]
pool = Pool.from_table(images, names=[f"row {i // 8}, column {i % 8}" for i in range(64)])
print(f"{pool.n_rows} images; {pool.n_features} of 64 pixels vary")

# %%
# Ask and tell
# ------------
# A session names the next image, somebody says what it shows, and so on. Here the known labels play that part. With
# ``classes=`` it is said beforehand which labels there are.

K, BUDGET = 10, 50
session = Session(pool, K, budget=BUDGET, classes=[5, 9], random_state=0)
while not session.finished:
    row = session.ask()
    session.tell(row, labels[row])
chosen = session.selection()
print(chosen)

# %%
# The numbers in brackets are what the model believes, 95% intervals; it also says how likely a pixel is among the best.
# "Not above chance" is not a contradiction to that: it is said by the labels alone, without the model. With so few of
# them, the luckiest of 64 pixels that mean nothing would look as good as that one (`Chance
# <../guide/columns.html#chance>`__). The last line is guaranteed, whatever the model says; a few dozen labels prove
# very little about 64 pixels, and it says so.
#
# The truth
# ---------
# All labels are known here, so we can look. A session that was told all of them has the true scores; ``random`` is the
# cheapest strategy, and with all labels it does not matter which one it is.

everything = Session(pool, K, strategy="random", classes=[5, 9])
everything.tell(range(pool.n_rows), labels)
best = everything.selection()
hits = np.isin(chosen.features, best.features)
print(f"{hits.sum()} of the {K} chosen pixels are among the true best {K}, with {BUDGET} of {pool.n_rows} labels")

figure, panels = plt.subplots(1, 2, figsize=(5.2, 3.0), layout="constrained")
for axes, digit in zip(panels, (5, 9), strict=True):
    axes.imshow(images[labels == digit].mean(axis=0).reshape(8, 8), cmap="Greys")
    axes.set(title=f"on the mean {digit}", xticks=[], yticks=[])
    for rank, (pixel, hit) in enumerate(zip(chosen.features, hits, strict=True), start=1):
        spot = {"facecolor": "#0b6e99" if hit else "#b0651d", "edgecolor": "none", "boxstyle": "circle,pad=0.2"}
        axes.text(pixel % 8, pixel // 8, str(rank), ha="center", va="center", color="white", fontsize=9, bbox=spot)
figure.suptitle(f"The {K} chosen pixels by rank\n(blue: truly among the best {K}, orange: not)", fontsize=11)
plt.show()

# %%
# How fast does it get there?
# ---------------------------
# The gap is what the chosen pixels lack against the true best ones, added up over all ten. We look at it at a few
# moments of five runs each: rows chosen by the model; random rows, judged by the same model; and random rows, judged by
# the labelled rows alone, as one would do without this package. The first eleven rows are always random ones: the model
# learns from ten labels, and what it has learnt is used one label later. Runs differ in their seed, and so in the rows
# that they happen to begin with; that is where the spread of the thin lines comes from.

truth = everything.values()  # what each pixel leaves unknown: less is better
least = np.sort(truth)[:K].sum()
SEEDS = 5
WAYS: dict[str, tuple[dict[str, Any], str, str]] = {
    "chosen rows, with the model": ({"strategy": "assisted"}, "#0b6e99", "-o"),
    "random rows, with the model": ({"strategy": "random", "estimator": "assisted"}, "#b0651d", "--s"),
    "random rows, labels alone": ({"strategy": "random", "estimator": "plug-in"}, "#6b757d", "-^"),
}

figure, axes = plt.subplots(figsize=(5.2, 3.6), layout="constrained")
steps = [10, 20, 30, 40, BUDGET]
for name, (options, colour, line) in WAYS.items():
    gaps: dict[int, list[float]] = {step: [] for step in steps}
    for seed in range(SEEDS):
        session = Session(pool, K, budget=BUDGET, classes=[5, 9], random_state=seed, **options)
        while not session.finished:
            row = session.ask()
            session.tell(row, labels[row])
            if session.n_labels in gaps:
                gaps[session.n_labels].append(max(0.0, truth[session.leaders()].sum() - least))
    runs = np.array([gaps[step] for step in steps])
    axes.plot(steps, runs, color=colour, linewidth=0.8, alpha=0.4)
    axes.plot(steps, runs.mean(axis=1), line, color=colour, label=name)
    means = ", ".join(f"{gap:.3f} after {step}" for step, gap in zip(steps, runs.mean(axis=1), strict=True))
    print(f"{name}: mean gap in nats {means}")
axes.set(xlabel="labels", ylabel=f"gap to the true best {K} (nats)", ylim=(-0.05, None))
axes.set_title("Gap against labels, 5 against 9:\nfive runs each (thin) and their mean", fontsize=11)
axes.legend(frameon=False)
plt.show()

# %%
# What to take away
# -----------------
# A session is a loop of ``ask`` and ``tell``, and ``selection()`` answers at any time. Most labels are saved by the
# model, which completes the table: with it, random rows do far better than without. Which rows are labelled counts as
# well here: with chosen ones next to nothing is missing after 20 to 30 labels. How much that is worth depends on the
# table: between a 3 and a 5, or an 8 and a 9, random rows with the model are as good as chosen ones. Five runs on one
# table show no more than a direction; :doc:`the leaderboard </results/leaderboard/report>` compares many tables, with
# intervals.
#
# See also
# --------
# - :doc:`/guide/problem`: when this helps, and when not. :doc:`/guide/choosing`: how many pixels, and how many labels.
# - :doc:`/guide/certainty`: what is believed, guaranteed and certain.
# - :class:`activefs.Session`, :class:`activefs.Selection` and :class:`activefs.Pool`.
