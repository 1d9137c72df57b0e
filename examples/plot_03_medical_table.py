"""
A medical table: from the table to the answer, and how sure it is
=================================================================

Of 569 biopsies, 30 measurements of cell nuclei are known, and each had to be diagnosed by somebody. Which five
measurements tell most about the diagnosis, if only 40 biopsies are diagnosed? You learn how to use the scikit-learn
selector, and what its intervals, probabilities and guarantees mean.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from activefs import ActiveFeatureSelector

data = load_breast_cancer(as_frame=True)
X = data.data
diagnosis = data.target.map({0: "malignant", 1: "benign"})
X.iloc[:3, :5]

# %%
# Select
# ------
# The selector is fitted like any other of scikit-learn. It sees all measurements, but reads 40 diagnoses only, one
# after the other; which ones, it decides by itself.

selector = ActiveFeatureSelector(k=5, budget=40, classes=["malignant", "benign"], random_state=0)
selector.fit(X, diagnosis)
print(f"{selector.n_labels_} of {len(X)} diagnoses were read")
selector.transform(X).shape

# %%
# The answer
# ----------
# A selection shows itself in a notebook; ``print`` gives the same as text, ``to_frame()`` as a data frame.

selection = selector.selection_
selection

# %%
# As a picture: a bar is the estimated mutual information with the diagnosis, the line its interval. Three of the five
# bars are grey: by themselves, 40 labels cannot tell these measurements from one that means nothing and is lucky
# (`Chance <../guide/columns.html#chance>`__). The model, which has seen all rows, is surer than that.

figure, axes = plt.subplots(figsize=(5.2, 3.0), layout="constrained")
selection.plot(axes)
figure.suptitle("The five chosen measurements:\nestimated score and 95% interval of the model", fontsize=11)
plt.show()

# %%
# How sure is that?
# -----------------
# There are three kinds of statement, and they rest on different things.
#
# - *Believed*, by the model: intervals, the probability that a measurement belongs to the best five, and what the five
#   are expected to lack. It holds as often as it did on other tables.
# - *Guaranteed*, whatever the model says: some rows were drawn at random with known probabilities. It holds with
#   probability 95% for all measurements at once, and is therefore wide.
# - *Certain*, by counting: with all rows labelled there is nothing left to believe.

print(f"believed:   {selection.sure}")
print(f"guaranteed: {selection.guarantee}")
print(f"the model:  {selection.model_check}")

# %%
# Who else might belong to the best five? The probabilities of all columns add up to five.

likely = selection.to_frame(all_features=True)
likely[["feature", "chosen", "mutual_information", "lower", "upper", "probability"]].head(9).round(3)

# %%
# Was it right?
# -------------
# All diagnoses of this table are known, so we can compare with what all 569 of them say.

everything = ActiveFeatureSelector(k=5, budget=len(X), strategy="random", random_state=0).fit(X, diagnosis)
best = everything.selection_
true_score = best.to_frame(all_features=True).set_index("feature")["mutual_information"]
print(f"chosen and truly among the best five: {sorted(set(selection.names) & set(best.names))}")
print(f"chosen, but not among them: {sorted(set(selection.names) - set(best.names))}")
gap = true_score[list(best.names)].sum() - true_score[list(selection.names)].sum()
print(f"the five chosen ones lack {gap:.4f} nats; {selection.expected_gap or 0.0:.4f} were expected")

estimated = selection.to_frame(all_features=True).set_index("feature")
inside = true_score[estimated.index].between(estimated["lower"], estimated["upper"])
print(f"{inside.sum()} of {len(inside)} intervals contain the score that all labels give")

figure, axes = plt.subplots(figsize=(5.2, 5.6), layout="constrained")
shown = estimated.iloc[:15].iloc[::-1]
axes.hlines(shown.index, shown["lower"], shown["upper"], color="#0b6e99", linewidth=4, alpha=0.45)
axes.plot(shown["mutual_information"], shown.index, "o", color="#0b6e99", label="estimate, 40 labels")
axes.plot(true_score[shown.index], shown.index, "D", color="#b0651d", label="all 569 labels")
axes.set(xlabel="mutual information (nats)")
figure.suptitle("Fifteen measurements: estimates and\nintervals from 40 labels, and the truth", fontsize=11)
axes.legend(frameon=False, loc="lower right")
plt.show()

# %%
# What to take away
# -----------------
# Read an answer from its first line: what the choice is expected to lack. Measurements of one nucleus resemble each
# other, so which of them are the best five may stay open for long although nothing that matters is missing: the gap is
# what counts, not the names. All this is one run, with seed 0, on a table that was also looked at when the constants of
# the model were chosen; :doc:`how often beliefs held </results/trust/beliefs>` was measured on tables that were left
# out then. What is called guaranteed holds whatever the model believes.
#
# See also
# --------
# - :doc:`/guide/certainty`: what each kind of statement rests on. :doc:`/guide/redundancy`: measurements that resemble
#   each other.
# - :class:`activefs.ActiveFeatureSelector` and :class:`activefs.Selection`.
