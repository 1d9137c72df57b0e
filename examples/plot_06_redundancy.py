"""
Redundancy: columns that do not repeat each other
=================================================

The k best columns one by one may all say the same. The rules ``mrmr``, ``jmi`` and ``cmim`` take a column only if it
adds something to those before it. You learn how to choose a rule, and how to see on your own table whether it helps a
classifier, which is not always so.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from activefs import Pool, Selection, Session

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target
pool = Pool.from_table(X)

# %%
# Six columns, 60 labels, four rules
# ----------------------------------
# The rule is one more setting of the session. "none" takes the best columns one by one.

K, BUDGET = 6, 60
RULES = ("none", "mrmr", "jmi", "cmim")
chosen: dict[str, Selection] = {}
for rule in RULES:
    session = Session(pool, K, redundancy=rule, budget=BUDGET, classes=[0, 1], random_state=0)
    while not session.finished:
        row = session.ask()
        session.tell(row, y[row])
    chosen[rule] = session.selection()
    print(f"{rule + ':':6s}{', '.join(chosen[rule].names)}")

# %%
# How much do they repeat themselves?
# -----------------------------------
# The correlation of the chosen columns, without its sign, over all rows. No label is needed for that.

figure, panels = plt.subplots(2, 2, figsize=(5.2, 5.4), layout="constrained")
for axes, rule in zip(panels.flat, RULES, strict=True):
    together = X[list(chosen[rule].names)].corr().abs().to_numpy()
    image = axes.imshow(together, cmap="Blues", vmin=0, vmax=1)
    pairs = together[np.triu_indices(K, 1)]
    axes.set(title=f"{rule}: {pairs.mean():.2f} on average", xticks=range(K), yticks=range(K))
    axes.set_xticklabels(range(1, K + 1))
    axes.set_yticklabels(range(1, K + 1))
figure.colorbar(image, ax=panels, orientation="horizontal", shrink=0.6, label="correlation without its sign")
figure.suptitle(f"Correlation of the {K} chosen columns, by rule", fontsize=11)
plt.show()

# %%
# Does it help a classifier?
# --------------------------
# A logistic regression gets the first one, two, ... columns of each answer. Its accuracy is cross-validated with all
# labels of the table, which are known here: so it is the columns that are compared, not what can be learnt from 60
# labels.

classifier = make_pipeline(StandardScaler(), LogisticRegression())
sizes = range(1, K + 1)
looks = {"none": ("#6b757d", "-o"), "mrmr": ("#0b6e99", "-s"), "jmi": ("#b0651d", "--^"), "cmim": ("#7a3e9d", ":D")}

figure, axes = plt.subplots(figsize=(5.2, 3.6), layout="constrained")
for rule, (colour, line) in looks.items():
    names = list(chosen[rule].names)
    accuracy = [cross_val_score(classifier, X[names[:size]], y, cv=5).mean() for size in sizes]
    axes.plot(sizes, accuracy, line, color=colour, label=rule)
    print(f"{rule + ':':6s}{accuracy[-1]:.1%} with {K} columns")
every = cross_val_score(classifier, X, y, cv=5).mean()
axes.axhline(every, color="#1d252b", linewidth=1, linestyle=":")
axes.text(1, every - 0.001, "all 30 columns", va="top", fontsize=9)
axes.set(xlabel="columns", ylabel="accuracy (5-fold cross-validation)")
axes.set_title("Accuracy of a classifier on the first columns\nthat each rule chose: one run each, seed 0", fontsize=11)
axes.legend(frameon=False, loc="lower right")
plt.show()

# %%
# What to take away
# -----------------
# If the columns are for a classifier and resemble each other, try a rule; if they are to be named as those that matter
# most, take "none". Which rule is best differs from table to table, and differences of a percent or two in one run mean
# little. With a rule nothing is guaranteed before nearly all rows are labelled: ``selection.guarantee`` says so.

print(chosen["mrmr"].guarantee)

# %%
# See also
# --------
# - :doc:`/guide/redundancy`: what the rules do, and the curve that says how many columns are enough.
# - :doc:`/results/redundancy/report`: what they bought on other tables.
# - :class:`activefs.redundancy.MRMR`, :class:`activefs.redundancy.JMI`, :class:`activefs.redundancy.CMIM`.
