"""
Which rows they ask for: six strategies in the plane
====================================================

A strategy says which row is labelled next. Here are points in a plane, of two classes, and the first thirty that each
of six strategies asks about. You learn what each of them looks for, and see how that shows.
"""

import matplotlib.pyplot as plt
import numpy as np

from activefs import Pool, Session

# %%
# Points, and four columns of noise
# ---------------------------------
# Two columns say where a point lies; four others are drawn by lot. A line parts the two classes, and few points are on
# the wrong side of it. Two features are wanted, so the right answer is known: the two that say where a point lies.
# Strategies get the whole table, noise included, and as always each column of numbers is put into ten bins.

rng = np.random.default_rng(0)
points = rng.normal(size=(400, 2))
beyond = points.sum(axis=1) / np.sqrt(2)  # how far beyond the line
labels = (beyond + 0.1 * rng.normal(size=400) > 0).astype(int)
names = ["across", "up", *(f"noise {i}" for i in range(1, 5))]
pool = Pool.from_table(np.column_stack([points, rng.normal(size=(400, 4))]), names=names)

# %%
# Thirty questions each
# ---------------------

STRATEGIES = ("random", "coreset", "dwus", "uncertainty", "assisted", "afs")
LABELS = 30


def labelled(strategy: str, seed: int) -> Session:
    """Run a session until it has its thirty labels."""
    session = Session(pool, 2, strategy=strategy, budget=LABELS, classes=[0, 1], random_state=seed)
    while not session.finished:
        row = session.ask()
        session.tell(row, labels[row])
    return session


figure, panels = plt.subplots(2, 3, figsize=(6.6, 5.5), sharex=True, sharey=True, layout="constrained")
for axes, strategy in zip(panels.flat, STRATEGIES, strict=True):
    asked = points[labelled(strategy, seed=0).labelled]
    axes.plot([-3, 3], [3, -3], color="#6b757d", linewidth=0.8)
    axes.plot(*points.T, "o", color="#c3cbd1", markersize=2.5, markeredgewidth=0)
    order = {"c": range(1, LABELS + 1), "cmap": "viridis_r", "edgecolors": "black", "linewidths": 0.5}
    dots = axes.scatter(*asked.T, s=28, zorder=3, **order)
    axes.set(title=strategy, xticks=[], yticks=[], xlim=(-3, 3), ylim=(-3, 3), aspect="equal")
figure.colorbar(dots, ax=panels, orientation="horizontal", shrink=0.6, label="place in the order of questions")
figure.suptitle("The first 30 rows that each strategy asks about,\nand the line between the classes", fontsize=11)
plt.show()

# %%
# Light dots were asked first, dark ones last. Two of the strategies ask the model, "uncertainty" and "assisted". Their
# first eleven rows are random: the model learns from ten labels, and what it has learnt is used one label later.
#
# - *random* draws rows, so they lie as all points lie.
# - *coreset* wants rows unlike those that have a label already: many lie at the edge. It has no eye for the line.
# - *dwus* wants rows of which a classifier is unsure, in places where there are many: it stays in the middle.
# - *uncertainty* wants the rows of which the model is least sure. Dark dots are close to the line.
# - *assisted*, the default, takes turns: such a row, then one that is drawn. So some dark dots are close to the line,
#   and some anywhere.
# - *afs*, the algorithm of the paper, knows no line. It looks at single columns, and wants rows whose values tell most
#   about the columns that it cannot place yet, noise included.
#
# The same in numbers
# -------------------
# How far from the line are the rows that were asked after the eleventh? And does the session name the right columns?
# Five runs each.

print(f"{'all points:':13s}{np.median(np.abs(beyond)):.2f} from the line")
for strategy in STRATEGIES:
    runs = [labelled(strategy, seed) for seed in range(5)]
    distance = np.mean([np.median(np.abs(beyond[run.labelled[11:]])) for run in runs])
    right = sum(set(run.leaders()) == {0, 1} for run in runs)
    print(f"{strategy + ':':13s}{distance:.2f} from the line; both columns found in {right} of 5 runs")

# %%
# What to take away
# -----------------
# Rows near the line teach the model most, and with its help thirty labels were enough here. But rows that were chosen
# prove nothing about all rows: that is why "assisted" draws every second one, see :doc:`/guide/certainty`. Strategies
# differ in how they judge columns, too: "uncertainty" and "assisted" judge them by the table that the model completes,
# the others by the labelled rows alone, unless ``estimator="assisted"`` is given. A table of two columns that matter is
# easy to draw, and no test of a strategy.
#
# See also
# --------
# - :doc:`/guide/strategies`: which ones there are, and which one to take.
# - :doc:`/results/leaderboard/report`: strategies on many tables, with intervals.
# - :class:`activefs.strategies.Assisted`, :class:`activefs.strategies.Uncertainty`, :class:`activefs.strategies.AFS`,
#   :class:`activefs.strategies.Coreset`, :class:`activefs.strategies.DensityWeightedUncertainty`.
