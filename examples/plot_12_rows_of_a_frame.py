"""
Rows of a frame: position against index
=======================================

A session calls rows by their position: 0 is the first row of the table, whatever name it has. A data frame of pandas
has an index as well, and both are often whole numbers. You learn what happens if the two are mixed up, how to get from
one to the other, and how to work with ids instead.
"""

from io import StringIO

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl

from activefs import ActiveFeatureSelector, Pool, Session, Study
from activefs.datasets import sample_table
from activefs.storages import MemoryStorage

# %%
# A frame that was shuffled
# -------------------------
# 569 patients with thirty measurements each. Somebody has shuffled them, and so the index, which counts the patients as
# they came, is not the position any more. Filters, sorts and joins do the same.

patients = sample_table().to_pandas().sample(frac=1, random_state=0)
X, diagnosis = patients.drop(columns=["patient", "diagnosis"]), patients["diagnosis"]
patients.iloc[:4, :3]

# %%
# The session asks about a position. ``iloc`` takes positions, ``loc`` takes the index, and both find somebody:

session = Session(X, k=5, budget=60, classes=["benign", "malignant"], random_state=0)
row = session.ask()
print(f"row {row}, please")
print(f"iloc[{row}]: {patients.iloc[row]['patient']}, the one who is meant")
print(f" loc[{row}]: {patients.loc[row]['patient']}, somebody else")

# %%
# What goes wrong
# ---------------
# Nothing fails. The labels of the wrong patients are as good as drawn by lot, and the session cannot know that. What it
# can do is to say that it finds no connection. We let two people label, one with ``iloc`` and one with ``loc``, in
# three runs each, and count what their five measurements truly lack.

pool = Pool.from_table(X)
everything = Session(pool, k=5, strategy="random", classes=["benign", "malignant"])
everything.tell(range(len(X)), diagnosis.to_list())
truth = everything.values()  # what each measurement leaves unknown: less is better
least = np.sort(truth)[:5].sum()

figure, axes = plt.subplots(figsize=(5.2, 3.6), layout="constrained")
for name, colour, line in (("iloc", "#0b6e99", "-"), ("loc", "#b0651d", "--")):
    labels = getattr(diagnosis, name)
    for seed in range(3):
        session = Session(pool, k=5, budget=60, classes=["benign", "malignant"], random_state=seed)
        gaps = []
        while not session.finished:
            row = session.ask()
            session.tell(row, labels[row])
            if session.n_labels % 5 == 0:
                gaps.append(truth[session.leaders()].sum() - least)
        steps = range(5, session.n_labels + 1, 5)
        axes.plot(steps, gaps, line, color=colour, label=f"labels by {name}" if seed == 0 else None)
        print(f"{name}, seed {seed}: {session.selection().sure}")
axes.set(xlabel="labels", ylabel="gap to the true best 5 (nats)")
axes.set_title(
    "True gap against labels, the right rows by iloc\nand the wrong ones by loc: three runs each", fontsize=11
)
axes.legend(frameon=False)
plt.show()

# %%
# "No connection found" therefore has two meanings: there is none, or labels and rows do not belong together. Look at
# one row and its label before you believe the first.
#
# There and back
# --------------

row = 17
index = X.index[row]  # from the position to the index
print(f"row {row} has the index {index}, and {index} is in row {X.index.get_loc(index)}")

# %%
# Positions are meant everywhere: in ``queried_indices_`` of the selector, in ``known=``, by an oracle, and in a series
# that is given as ``y``, which is read by position whatever its index says. So it must be in the order of the table.
# Here are the diagnoses in another order, as a laboratory might send them:

sent = diagnosis.sample(frac=1, random_state=1)
in_order = sent.reindex(X.index)  # by the index, into the order of the table
selector = ActiveFeatureSelector(k=5, budget=60, random_state=0).fit(X, in_order)
print("with reindex:   ", selector.selection_.sure)
selector = ActiveFeatureSelector(k=5, budget=60, random_state=0).fit(X, sent)
print("without reindex:", selector.selection_.sure)

already = {X.index.get_loc(index): label for index, label in sent.iloc[:20].items()}
selector = ActiveFeatureSelector(k=5, budget=60, random_state=0).fit(X, in_order, known=already)
print("asked for, beside those that were known:", *X.index[selector.queried_indices_[20:25]], "...")

# %%
# Ids that are no numbers
# -----------------------
# An index of names cannot be mistaken for positions: ``loc`` with a number is an error then. If a table has a column of
# ids, make it the index.

by_id = patients.set_index("patient")
print(f"row {row} is {by_id.index[row]}, and {by_id.index[row]} is row {by_id.index.get_loc(by_id.index[row])}")
try:
    by_id.loc[row]
except KeyError as error:
    print(f"loc: KeyError {error}")

# %%
# Frames of polars and tables of Arrow have no index, and nothing can be mixed up. The id is a column that is no
# feature:

frame = pl.from_pandas(patients)
session = Session(frame, k=5, ignore=["patient", "diagnosis"], budget=60, random_state=0)
row = session.ask()
print(f"row {row} is", frame["patient"][row], frame.row(row, named=True)["mean_radius"])

# %%
# Studies
# -------
# A study knows the column of ids (``id_column=``; in the terminal ``--id``). Pages, exports and imports go by it, so
# that nobody who labels in the browser meets a position. Python asks and tells by position here, too, and ``name_of``
# says whom that is.

study = Study.create(  # in memory, for this page; as a rule, the first argument is the name of a file
    MemoryStorage(),
    patients.reset_index(drop=True),
    k=5,
    id_column="patient",
    ignore=["diagnosis"],
    classes=["benign", "malignant"],
    budget=60,
    random_state=0,
    annotator="ana",
)
row = study.ask()
print(f"row {row} is {study.name_of(row)}")
study.tell(row, diagnosis.iloc[row])

known = patients[["patient", "diagnosis"]].sample(3, random_state=0)  # labels from elsewhere, by id
study.import_csv(known.set_axis(["row", "label"], axis=1).to_csv(index=False))
exported = pd.read_csv(StringIO(study.export_csv()))
study.close()
exported[["row", "label", "annotator", "kind"]]

# %%
# What to take away
# -----------------
# Rows are positions, everywhere in Python: ``X.iloc[row]`` shows the row, ``X.index[row]`` names it, and
# ``X.index.get_loc(name)`` leads back. Labels that come from elsewhere are brought into the order of the table by their
# ids first. If a session finds no connection where there should be one, compare a few rows with their labels.
#
# See also
# --------
# - :doc:`/guide/tables`: tables in Python. :doc:`/guide/studies`: ids, imports and exports of studies.
# - :class:`activefs.Study`, :func:`activefs.study.import_csv`, :func:`activefs.study.export_csv`.
