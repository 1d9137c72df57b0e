"""
Text: which words tell what a message is about
==============================================

A text is a row, a word is a feature, and a label is somebody's time for reading. You learn how a sparse table is given
to a session, how a thousand features with few labels look, and that a list of words is to be read with its intervals.

If the paper's text sets are on your machine (``ACTIVEFS_DATA_DIR`` names their folder), two newsgroups about computers
are used; else the texts are made up. The first line that is printed says which.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import CountVectorizer

from activefs import Pool, Session, datasets

TOPICS = {
    "garden": ("seed soil compost prune hedge weed mulch", "tomato bean harvest lettuce slug greenhouse",
               "rose tulip bulb blossom petal vase", "lawn mower grass rake clover"),
    "sailing": ("sail mast jib rigging halyard boom", "harbour mooring anchor buoy berth tide",
                "regatta crew skipper race spinnaker", "storm gale forecast reef lifejacket swell"),
}  # fmt: skip
COMMON = "the and of to a in is it for with on that as was but not have this from they water wind line cut plant board"


def made_up_texts(n_texts: int, rng: np.random.Generator) -> tuple[list[str], list[str]]:
    """Write texts of common words, rare words, words of any topic, and words of one topic of one kind."""
    topics = [(kind, words.split()) for kind, lists in TOPICS.items() for words in lists]
    rare, any_topic = [f"rare{i}" for i in range(1500)], [word for _, own in topics for word in own]
    texts, kinds = [], []
    for topic in rng.integers(len(topics), size=n_texts):
        kind, own = topics[topic]
        text: list[str] = []
        lengths = rng.multinomial(rng.integers(15, 60), [0.55, 0.35, 0.04, 0.06])
        for source, length in zip((COMMON.split(), rare, any_topic, own), lengths, strict=True):
            zipf = 1.0 / np.arange(1, len(source) + 1)  # the second word half as often as the first, and so on
            text += rng.choice(source, size=length, p=zipf / zipf.sum()).tolist()
        texts.append(" ".join(text))
        kinds.append(kind)
    return texts, kinds


if any(info.name == "PCMAC" and info.present for info in datasets.available()):
    data = datasets.load("PCMAC")
    pool = Pool.from_table(csr_array(data.X), names=data.feature_names)
    kinds = [data.classes[label] for label in data.y]
    print("Texts: PCMAC, two newsgroups about computers")
else:
    texts, kinds = made_up_texts(1500, np.random.default_rng(0))
    vectorizer = CountVectorizer(binary=True)  # whether a word occurs, not how often
    pool = Pool.from_table(vectorizer.fit_transform(texts), names=vectorizer.get_feature_names_out())
    print("Texts: made up, about gardens and sailing, such as")
    print(f"  {texts[0][:100]} ...")

print(f"{pool.n_rows} texts, {pool.n_features} words, kept as a {pool.kind} pool")

# %%
# Fifteen words, 150 labels
# -------------------------
# Words that occur in every text, or in none, are left out by themselves. Everything else is as with any table.

K, BUDGET = 15, 150
STEPS = range(30, BUDGET + 1, 30)
everything = Session(pool, K, strategy="random")
everything.tell(range(pool.n_rows), kinds)
best, truth = everything.selection(), everything.values()
least = np.sort(truth)[:K].sum()

gaps: dict[str, list[float]] = {}
sessions: dict[str, Session] = {}
for strategy in ("assisted", "afs", "random"):
    session = sessions[strategy] = Session(pool, K, budget=BUDGET, strategy=strategy, random_state=0)
    gaps[strategy] = []
    while not session.finished:
        row = session.ask()
        session.tell(row, kinds[row])
        if session.n_labels in STEPS:
            gaps[strategy].append(truth[session.leaders()].sum() - least)
    hits = np.isin(session.selection().features, best.features).sum()
    print(f"{strategy}: {hits} of {K} words are among the true best {K}; gap {gaps[strategy][-1]:.3f} nats")

figure, axes = plt.subplots(figsize=(5.2, 3.4), layout="constrained")
looks = (("assisted", "#0b6e99", "-o"), ("afs", "#b0651d", "--s"), ("random", "#6b757d", "-^"))
for strategy, colour, line in looks:
    axes.plot(STEPS, gaps[strategy], line, color=colour, label=strategy)
axes.set(xlabel="labels", ylabel=f"gap to the true best {K} (nats)", ylim=(0, None))
axes.set_title(f"Gap against labels, {K} of {pool.n_features} words:\none run each, seed 0", fontsize=11)
axes.legend(frameon=False)
plt.show()

# %%
# The words, and how sure the model is of them
# --------------------------------------------
# Bars are estimates from 150 labels with the model's 95% intervals; diamonds are what all labels say. A word occurs in
# few texts, so few of the labelled texts have it, and the intervals are wide.

chosen = sessions["assisted"].selection()
figure, axes = plt.subplots(figsize=(5.2, 4.6), layout="constrained")
chosen.plot(axes)
true_score = best.to_frame(all_features=True).set_index("column")["mutual_information"]
axes.plot([true_score[column] for column in chosen.features], range(K), "D", color="#1d252b", markersize=5)
axes.set_title(f"Scores of the {K} chosen words with intervals;\ndiamonds: with the labels of all texts", fontsize=11)
plt.show()

inside = sum(chosen.lower[i] <= true_score[c] <= chosen.upper[i] for i, c in enumerate(chosen.features))
print(f"{inside} of {K} intervals contain the score that all labels give")
print(f"{sum(chosen.by_chance)} of the {K} words are not above chance by the labels so far")

# %%
# What to take away
# -----------------
# Give a sparse matrix as it is, with ``Pool.from_table(X, names=words)`` so that the answer has names. Two statements
# about a word should not be mixed up: its interval is what the model makes of all texts, and "not above chance" (grey)
# says that the labels so far could not, by themselves, tell this word from the luckiest of a thousand that mean
# nothing. One run of each strategy is an anecdote; do not rank strategies by it.
#
# See also
# --------
# - :doc:`/guide/tables`: which tables are read, sparse ones too. :doc:`/guide/columns`: features and chance.
# - :class:`activefs.Pool`, :func:`activefs.datasets.load`; strategies on the paper's text sets are compared by
#   :doc:`the leaderboard </results/leaderboard/report>`.
