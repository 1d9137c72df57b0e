"""
A large Parquet file: two million rows that are never all in memory
===================================================================

A pump writes down 26 readings a minute. Two million such minutes lie in a Parquet file; an engineer could judge any of
them as worn or fine, and will judge 150. Which five readings tell most about wear? You learn what becomes of a table
that is too large to be read whole, how long one waits for a question, and how far 150 labels get.
"""

import os
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from activefs import Pool, Session

# %%
# A file that is larger than what is read whole
# ---------------------------------------------
# The readings are made up: six of them follow the wear, more or less closely, and twenty have nothing to do with it.
# They are written part by part, as a machine would write them.

FOLLOWS = {"vibration": 0.75, "metal_in_oil": 0.7, "noise": 0.65, "temperature": 0.6, "current": 0.5, "leakage": 0.35}
NAMES = [*FOLLOWS, *(f"channel_{number:02}" for number in range(1, 21))]
PARTS, PART = 8, 250_000

folder = TemporaryDirectory()
path = Path(folder.name) / "pump.parquet"
rng = np.random.default_rng(0)
judged = []
with pq.ParquetWriter(path, pa.schema([(name, pa.int16()) for name in NAMES])) as writer:
    for _ in range(PARTS):
        wear = rng.standard_normal(PART, dtype=np.float32)
        readings = {}
        for name in NAMES:
            share = FOLLOWS.get(name, 0.0)
            mixed = share * wear + np.sqrt(1 - share**2) * rng.standard_normal(PART, dtype=np.float32)
            readings[name] = (10 * mixed).astype(np.int16)
        writer.write_table(pa.table(readings))
        judged.append(wear > 0.8)
worn = np.concatenate(judged)  # what the engineer would say of each minute; it is not in the file

about = pq.ParquetFile(path).metadata
print(f"{about.num_rows:,} rows, {about.num_columns} columns, {about.num_row_groups} row groups")

# %%
# Open it
# -------
# A table of at most 50 million cells is read into memory. This one has 52 million: it is read once, part by part, and
# of each cell a byte is kept, its code, in a file in the cache folder. The operating system holds as much of that file
# in memory as there is room for. Who opens the same table again finds the codes there.

os.environ["ACTIVEFS_CACHE_DIR"] = folder.name  # so that this example leaves nothing behind; as a rule, leave it alone

for attempt in ("first", "second"):
    started = time.perf_counter()
    pool = Pool.from_table(path)
    print(f"{attempt} opening: {time.perf_counter() - started:.2f} s")

codes = sum(file.stat().st_size for file in Path(folder.name).rglob("codes.bin"))
print(f"the pool is {pool.kind}: {pool.n_rows:,} rows, {pool.n_features} features")
print(f"codes on the disk: {codes / 1e6:.0f} MB, {codes / (pool.n_rows * pool.n_features):.0f} byte per cell")
print(f"the first codes of {pool.names[0]}:", "; ".join(pool.encodings[0].label(code) for code in range(4)))

# %%
# Ask
# ---
# A session takes the path, or a pool if several sessions share it. Rows are counted from 0 through the whole file. To
# show one to somebody, read the row group that it is in; a study does that by itself.


def minute(row: int) -> dict[str, int]:
    """Read the first readings of one row of the file."""
    group, inside = divmod(row, PART)
    found = pq.ParquetFile(path).read_row_group(group, columns=NAMES[:3])
    return {name: found[name][inside].as_py() for name in found.column_names}


session = Session(pool, k=5, budget=150, classes=["fine", "worn"], random_state=0)
row = session.ask()
print(f"row {row:,}:", minute(row))
session.tell(row, "worn" if worn[row] else "fine")

# %%
# How long does one wait?
# -----------------------
# The default strategy looks at 20,000 rows of a table that is larger, drawn at random, and asks about these. Its
# questions take no longer if the table grows. AFS, the algorithm of the paper, gives every row a score before every
# question, so its time grows with the rows.


def label_all(session: Session) -> list[float]:
    """Label until the budget is used; return the milliseconds from each label to the next question."""
    waited = []
    while not session.finished:
        started = time.perf_counter()
        row = session.ask()
        waited.append(1000 * (time.perf_counter() - started))
        session.tell(row, "worn" if worn[row] else "fine")
    return waited


afs = Session(pool, k=5, budget=60, strategy="afs", classes=["fine", "worn"], random_state=0)
waits = {"assisted": label_all(session), "afs": label_all(afs)}
for name, milliseconds in waits.items():
    print(f"{name}: median {np.median(milliseconds):.1f} ms, longest {max(milliseconds):.0f} ms")

figure, axes = plt.subplots(figsize=(5.2, 3.5), layout="constrained")
for (name, milliseconds), colour, mark in zip(waits.items(), ("#0b6e99", "#b0651d"), ("o", "D"), strict=True):
    axes.plot(range(1, len(milliseconds) + 1), milliseconds, mark, color=colour, markersize=3.5, label=name)
axes.set(xlabel="question", ylabel="milliseconds (logarithmic)", yscale="log")
figure.suptitle("Milliseconds until the next question,\nby strategy: two million rows", fontsize=11)
figure.legend(frameon=False, loc="outside lower center", ncols=2)
plt.show()

# %%
# The blue points on top are questions before which the model learned again from all labels. Nobody judges a row in that
# time.
#
# The answer
# ----------

selection = session.selection()
selection

# %%
# "Not above" marks readings that the labels by themselves could not tell from one that means nothing and is lucky. The
# model, which looks at 20,000 rows, may be surer than that, and here it is right.
#
# All two million labels are known here, so each estimate can be compared with the score that all of them give.

truth = np.empty(pool.n_features)
for j in range(pool.n_features):
    cells = pool.codes_of(np.arange(pool.n_rows), np.array([j]))[0].astype(np.int64)
    together = np.bincount(2 * cells + worn, minlength=2 * pool.cardinalities[j]).reshape(-1, 2) / pool.n_rows
    if_unrelated = together.sum(axis=1, keepdims=True) * together.sum(axis=0)
    truth[j] = np.sum(together * np.log(np.where(together > 0, together / if_unrelated, 1)))

best = np.argsort(-truth)[:5]
print("the best five by all labels:", ", ".join(pool.names[j] for j in best))
print("found with 150:", len(set(selection.names) & {pool.names[j] for j in best}), "of 5")

shown = selection.to_frame(all_features=True).head(9).iloc[::-1]
figure, axes = plt.subplots(figsize=(5.2, 4.0), layout="constrained")
axes.hlines(shown["feature"], shown["lower"], shown["upper"], color="#0b6e99", linewidth=4, alpha=0.45)
axes.plot(shown["mutual_information"], shown["feature"], "o", color="#0b6e99", label="estimate, 150 labels")
axes.plot(truth[shown["column"]], shown["feature"], "D", color="#b0651d", label="all 2,000,000 labels")
axes.set(xlabel="mutual information with wear (nats)")
figure.suptitle("The nine readings in front: estimates and\nintervals from 150 labels, and the truth", fontsize=11)
figure.legend(frameon=False, loc="outside lower center", ncols=2)
plt.show()

del session, afs, pool  # nothing is left behind
folder.cleanup()
del os.environ["ACTIVEFS_CACHE_DIR"]

# %%
# What to take away
# -----------------
# Give the path instead of the table: ``Session("pump.parquet", k=5)``. Asking, telling and answers are the same. What
# grows with the table is the time to read it once, and a byte or two per cell on the disk; with the default strategy,
# neither the wait for a question nor the price of a label. The readings here are made up, and given the wear they have
# nothing to do with each other, which is easy; columns of real tables resemble each other more. What 50 and 100 million
# rows take was measured: :doc:`/results/benchmarks`.
#
# See also
# --------
# - :doc:`/guide/large-pools`: files, folders, clusters, and what each strategy takes. :doc:`/results/a-billion-rows`.
# - :class:`activefs.Pool`, :func:`activefs.pool.read_pool`, :class:`activefs.pool.MappedPool`.
