"""
Your own model: any classifier of scikit-learn completes the table
==================================================================

By default an average of regressions and trees predicts the labels that nobody has given yet. If you know a model that
suits your table better, hand it over. You learn what such a model is given, what it must be able to do, and how to see
whether it is any good.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from activefs import Pool, Session
from activefs.outlook import ModelCheck

# %%
# Four models on one table
# ------------------------
# Ten pixels that tell whether a digit is odd. A model is any classifier that has ``predict_proba`` and is not fitted
# yet, pipelines included.

MODELS = {
    "built-in": None,
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
    "random forest": RandomForestClassifier(n_estimators=20),
    "naive Bayes": GaussianNB(),
}

digits = load_digits()
images, odd = digits.data[:600], digits.target[:600] % 2 == 1
pool = Pool.from_table(images)
everything = Session(pool, 10, strategy="random", classes=[False, True])
everything.tell(range(pool.n_rows), odd)
truth = everything.values()  # what each pixel leaves unknown: less is better
least = np.sort(truth)[:10].sum()

# %%
# After every twentieth label we note what the choice lacks against the true ten best pixels. That is known here, since
# all labels are.

SEEDS, LABELS = 3, np.arange(20, 81, 20)
gaps: dict[str, np.ndarray] = {}
checks: dict[str, ModelCheck] = {}
for name, model in MODELS.items():
    found = []
    for seed in range(SEEDS):
        session = Session(pool, 10, model=model, budget=80, classes=[False, True], random_state=seed)
        while not session.finished:
            row = session.ask()
            session.tell(row, odd[row])
            if session.n_labels in LABELS:
                found.append(truth[session.leaders()].sum() - least)
    gaps[name] = np.reshape(found, (SEEDS, -1)).mean(axis=0)
    check = session.selection().model_check
    assert check is not None
    checks[name] = check

looks = {
    "built-in": ("#0b6e99", "-o"),
    "logistic regression": ("#b0651d", "--s"),
    "random forest": ("#7a3e9d", "-.^"),
    "naive Bayes": ("#6b757d", ":D"),
}
figure, axes = plt.subplots(figsize=(5.2, 3.9), layout="constrained")
for name, (colour, line) in looks.items():
    axes.plot(LABELS, gaps[name], line, color=colour, markersize=5, label=name)
axes.set(xlabel="labels", ylabel="true gap (nats)", ylim=(0, None))
axes.set_title(f"True gap against labels by model:\nodd digits, means of {SEEDS} runs", fontsize=11)
figure.legend(loc="outside lower center", ncols=2, frameon=False)
plt.show()

# %%
# Is the model any good?
# ----------------------
# On your own table the true gap is not known. What is known is how often the model is right on labelled rows that it
# had not seen, and how often it expects to be: ``model_check`` of a selection.

print(checks["built-in"])
for name, check in checks.items():
    right = f"right in {check.accuracy:.0%} [{check.lower:.0%}, {check.upper:.0%}]"
    print(f"{name}: {right}; after 80 labels its choice lacks {gaps[name][-1]:.3f} nats")

figure, axes = plt.subplots(figsize=(5.2, 2.7), layout="constrained")
for place, check in enumerate(reversed(checks.values())):
    assert check.lower is not None and check.upper is not None
    assert check.accuracy is not None and check.expected is not None
    axes.plot([check.lower, check.upper], [place, place], color="#0b6e99", linewidth=4, alpha=0.45)
    axes.plot(check.accuracy, place, "o", color="#0b6e99", label="is right (95% interval)" if place == 0 else None)
    axes.plot(check.expected, place, "D", color="#b0651d", label="expects to be" if place == 0 else None)
axes.set_yticks(range(len(checks)), list(reversed(checks)))
axes.set(xlabel="share of rows that the model had not seen", ylim=(-0.6, len(checks) - 0.4))
figure.suptitle("How often each model is right after 80 labels,\nand how often it expects to be", fontsize=11)
figure.legend(loc="outside lower center", ncols=2, frameon=False)
plt.show()

# %%
# The built-in model is right most often, but on some fifty rows the intervals of all four overlap. What they choose
# differs much: after 80 labels the choice of naive Bayes lacks far more than that of the logistic regression, which is
# right about as often. ``model_check`` tells whether a model predicts at all; it does not rank models.

# %%
# What a model is given
# ---------------------
# Numbers without gaps, whatever the table holds: one column for each feature with an order (the square root of its
# code), one column of zeros and ones for each value of any other (a single one, if there are two values), and one that
# says where a number is missing. So nothing has to be encoded before. A step in a pipeline that prints what passes
# through it shows that:


def look(numbers: np.ndarray) -> np.ndarray:
    if len(numbers) == 15:  # all labels that there will be
        print(f"{numbers.shape[0]} rows, {numbers.shape[1]} columns; the first row: {numbers[0].round(2)}")
    return numbers


rng = np.random.default_rng(0)
people = pd.DataFrame(
    {
        "age": rng.integers(20, 80, size=300),
        "pulse": np.where(rng.random(300) < 0.1, np.nan, rng.integers(50, 110, size=300)),
        "ward": rng.choice(["north", "south", "west"], size=300),
        "smokes": rng.choice(["no", "yes"], size=300),
    }
)
ill = np.where((people["age"] > 60) | (people["smokes"] == "yes"), "ill", "well")
watched = make_pipeline(FunctionTransformer(look), LogisticRegression())
session = Session(people, 2, model=watched, missing="value", budget=15, classes=["ill", "well"], random_state=0)
while not session.finished:
    row = session.ask()
    session.tell(row, str(ill[row]))
session.leaders()
people.iloc[session.labelled[:1]]

# %%
# Age and pulse come first, each in ten bins, then whether the pulse is missing, three wards, and smoking.

# %%
# What to take away
# -----------------
# A model must have ``fit`` and ``predict_proba``, learn something from ten labels (gradient boosting that wants twenty
# rows in a leaf cannot) and be quick: it is fitted up to six times whenever it learns, and forty times more for the
# intervals of a selection. Labels that are not settled need a ``fit`` with ``sample_weight``, which pipelines do not
# have; otherwise the likeliest class is learnt. Take the built-in model if you have no reason to prefer another: which
# one is best differs from table to table, and these are a few runs on one. How often intervals and expected gaps hold
# was measured with the built-in model only.
#
# See also
# --------
# - :doc:`/guide/extending`: models, and everything else that can be replaced.
#   :doc:`/method/assisted`: what the model is for.
# - :class:`activefs.outlook.ModelCheck` and :class:`activefs.Session` with ``model=``.
