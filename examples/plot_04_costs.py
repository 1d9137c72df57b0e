"""
Costs: labels that are not equally dear
=======================================

Some rows can be labelled at once, for others somebody has to travel. You learn how to say what each label costs, and
what the same money buys with and without saying it.
"""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from activefs import Pool, Session

digits = load_digits()
images, labels = digits.data[:600], np.where(digits.target[:600] % 2 == 1, "odd", "even")
pool = Pool.from_table(images, names=[f"row {i // 8}, column {i % 8}" for i in range(64)])

# %%
# The task: which ten pixels tell most about whether a handwritten digit is odd? Prices are made up: four labels of ten
# cost 1, the others 8.

price = np.where(np.random.default_rng(0).random(pool.n_rows) < 0.4, 1.0, 8.0)
print(f"{(price == 1).sum()} rows cost 1, {(price == 8).sum()} rows cost 8")

# %%
# Say what a label costs
# ----------------------
# With ``cost=`` the budget is a sum of money, and rows are preferred by what they are worth per price. Rows that can no
# longer be paid for are not asked.

K, MONEY = 10, 160.0
session = Session(pool, K, cost=price, budget=MONEY, classes=["even", "odd"], random_state=0)
while not session.finished:
    row = session.ask()
    session.tell(row, labels[row])
print(f"finished: {session.reason}")
print(f"{session.n_labels} labels for {price[session.labelled].sum():.0f}")

# %%
# In a data frame the price may also be a column: ``cost="price"`` reads it there, and it is then no feature.
#
# The same money without knowing prices
# -------------------------------------
# The other session knows no prices; it buys the rows that it wants until the money is spent. Three runs of each. The
# first eleven rows are drawn at random whatever they cost, so both begin alike. The gap is what the chosen pixels lack
# against the true best ones.

everything = Session(pool, K, strategy="random")
everything.tell(range(pool.n_rows), labels)
truth = everything.values()  # what each pixel leaves unknown: less is better
least = np.sort(truth)[:K].sum()
MOMENTS = np.arange(40, MONEY + 1, 40)


def gaps_by_money(session: Session) -> list[float]:
    """Buy labels until the next one is too dear; return the gap at each moment."""
    gaps: list[float] = []
    paid = 0.0
    while not session.finished:
        row = session.ask()
        if paid + price[row] > MONEY:
            break
        if paid + price[row] > MOMENTS[len(gaps)]:
            gaps.append(truth[session.leaders()].sum() - least)
        session.tell(row, labels[row])
        paid += price[row]
    return [*gaps, truth[session.leaders()].sum() - least]


figure, axes = plt.subplots(figsize=(5.2, 3.5), layout="constrained")
for name, known, colour, line in (("with prices", True, "#0b6e99", "-o"), ("without prices", False, "#b0651d", "--s")):
    options: dict[str, Any] = {"cost": price, "budget": MONEY} if known else {}
    runs, counts = [], []
    for seed in range(3):
        session = Session(pool, K, random_state=seed, **options)
        runs.append(gaps_by_money(session))
        counts.append(session.n_labels)
    axes.plot(MOMENTS, np.transpose(runs), color=colour, linewidth=0.8, alpha=0.4)
    axes.plot(MOMENTS, np.mean(runs, axis=0), line, color=colour, label=name)
    print(f"{name}: {counts} labels for {MONEY:.0f}, mean gap {np.mean(runs, axis=0)[-1]:.3f} nats")
axes.set(xlabel="money spent", ylabel=f"gap to the true best {K} (nats)", ylim=(0, None))
axes.set_title("Gap against money, with and without prices:\nthree runs each (thin) and their mean", fontsize=11)
axes.legend(frameon=False)
plt.show()

# %%
# What to take away
# -----------------
# If prices differ, say so: the same money buys more labels, and rows that are dear are still asked where they are worth
# it. Prices here have nothing to do with the images. Where they do, cheap rows are another sort of rows, and a session
# that buys mostly these learns less about the others; look at ``selection.model_check`` then, which weighs the rows
# that were drawn by how likely they were.
#
# See also
# --------
# - :doc:`/guide/costs`: prices in files and studies, and prices that belong to the rows.
# - :class:`activefs.Session` with ``cost=``, and :class:`activefs.outlook.ModelCheck`.
