"""
Many classes: ten digits at once, bounds and spread
===================================================

Nothing changes in how a session is used when a label has ten classes instead of two; what changes is how much a label
can tell, and how wide bounds are. You learn to name the classes, and to look at bounds and spread of class shares with
the same objects that the package uses.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from activefs import Pool, Session
from activefs.criteria import MutualInformation, delta_per_class
from activefs.intervals import ClopperPearson

digits = load_digits()
images, labels = digits.data[:600], digits.target[:600]
pool = Pool.from_table(images, names=[f"row {i // 8}, column {i % 8}" for i in range(64)])

# %%
# Ten pixels for ten digits
# -------------------------
# Classes that are named may lack a label for a while; without ``classes=`` they turn up one by one, and what is
# guaranteed has to allow for classes that nobody has seen.

K, BUDGET = 10, 80
session = Session(pool, K, budget=BUDGET, classes=range(10), random_state=0)
while not session.finished:
    row = session.ask()
    session.tell(row, labels[row])
chosen = session.selection()
print(chosen)

everything = Session(pool, K, strategy="random", classes=range(10))
everything.tell(range(pool.n_rows), labels)
best = everything.selection()
print(f"\n{np.isin(chosen.features, best.features).sum()} of {K} are among the true best {K} (one run, seed 0)")

# %%
# What a pixel tells
# ------------------
# A pixel with some values splits the images; it tells much if within a value few digits are left. Here is the pixel
# that was chosen first, with all labels: each line of the picture adds up to 100%.

pixel = images[:, chosen.features[0]]
edges = np.quantile(pixel, [0.25, 0.5, 0.75])
part = np.searchsorted(edges, pixel)
share = np.array([[np.mean(labels[part == p] == digit) for digit in range(10)] for p in range(4)])

figure, axes = plt.subplots(figsize=(5.2, 2.9), layout="constrained")
axes.imshow(share, cmap="Blues", aspect="auto", vmin=0)
for p, digit in np.ndindex(share.shape):
    ink = "white" if share[p, digit] > 0.6 * share.max() else "black"
    axes.text(digit, p, f"{share[p, digit]:.0%}", ha="center", va="center", fontsize=8, color=ink)
axes.set(xticks=range(10), xlabel="digit", ylabel="quarter of the images")
axes.set_yticks(range(4), ["lightest", "second", "third", "darkest"])
axes.set_title(f"Shares of the digits by darkness\nof the pixel in {chosen.names[0]}", fontsize=11)
plt.show()

# %%
# Bounds and spread
# -----------------
# The algorithm of the paper (``strategy="afs"``) goes by bounds of the entropy of class shares, and by their spread:
# how much the estimated entropy still varies with the labels. Suppose of n labelled rows with a value 80% are of one
# class. With two classes the rest is of the other one; with ten classes the rest is of two others, and seven were never
# seen. Every class gets an interval, and the entropy is searched over all shares that the intervals allow.

criterion, interval = MutualInformation(), ClopperPearson()
counts = np.arange(10, 201, 10)
figure, (top, bottom) = plt.subplots(2, 1, figsize=(5.2, 5.2), sharex=True, layout="constrained")
cases = ((2, [0.8, 0.2], "#0b6e99", "-"), (10, [0.8, 0.1, 0.1] + 7 * [0.0], "#b0651d", "--"))
for n_classes, shares, colour, line in cases:
    seen = np.round(counts[:, None] * shares)
    low, high = interval.bounds(seen, counts[:, None], delta_per_class(0.05, n_classes))
    least, most = criterion.bounds(low, high)
    top.fill_between(counts, least, most, color=colour, alpha=0.2, linewidth=0)
    top.plot(counts, criterion.value(seen / counts[:, None]), line, color=colour, label=f"{n_classes} classes")
    bottom.plot(counts, criterion.spread_upper(low, high), line, color=colour)
    bottom.plot(counts, criterion.spread(seen / counts[:, None]), line, color=colour, linewidth=0.8)
    print(f"{n_classes} classes, {counts[-1]} labels: entropy between {least[-1]:.2f} and {most[-1]:.2f} nats")
top.set(ylabel="entropy (nats)", ylim=(0, None))
top.legend(frameon=False)
bottom.set(xlabel="labelled rows with the value", ylabel="spread (nats)\nthick: bound, thin: estimate", ylim=(0, None))
figure.suptitle(
    "Estimate and bounds of the entropy (above) and\nspread (below) of class shares: 2 and 10 classes", fontsize=11
)
plt.show()

# %%
# What to take away
# -----------------
# Name the classes if you know them. With ten classes every bound is wider for the same labels, since each class needs
# an interval of its own: bounds by themselves settle little, which is why the default lets a model complete the table.
#
# See also
# --------
# - :doc:`/guide/many-classes`: hundreds of classes, and classes that turn up late.
# - :doc:`/method/algorithm`: where bounds and spread come from.
# - :class:`activefs.criteria.MutualInformation`, :func:`activefs.criteria.delta_per_class`,
#   :class:`activefs.intervals.ClopperPearson`.
