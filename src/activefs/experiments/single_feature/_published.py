"""The published table of (clear wins, wins): Table 2 of Schnapp and Sabato (AAAI 2021)."""

from __future__ import annotations

import numpy as np

from activefs.types import Ints

_TABLE = {
    "uniform": {
        50: "0 12  0 2  0 3  0 12  0 11  1 1  0 12  0 13  10 23",
        100: "0 4  0 2  0 4  0 4  0 1  0 0  0 4  0 4  21 25",
        300: "0 4  0 2  0 4  0 4  0 1  0 0  0 4  0 10  15 25",
        500: "0 3  0 2  0 3  0 3  0 1  0 0  0 3  0 16  9 25",
    },
    "fixed": {
        50: "0 21  0 6  0 7  0 21  0 18  23 38  0 21  0 19  40 68",
        100: "0 13  0 8  0 7  0 13  0 10  23 34  0 13  0 13  48 69",
        300: "0 17  0 5  0 14  0 17  0 3  23 25  0 17  0 32  39 71",
        500: "0 15  0 6  0 11  0 15  0 2  8 11  0 15  4 42  43 78",
    },
    "adult": {
        50: "0 11  0 1  0 1  0 11  0 9  0 6  0 11  0 11  2 13",
        100: "0 5  0 0  0 0  0 5  0 6  0 3  0 6  0 7  6 14",
        300: "0 3  0 1  0 1  0 3  0 5  0 3  0 3  0 8  6 14",
        500: "0 5  0 1  0 1  0 5  0 4  0 2  0 5  0 7  5 13",
    },
}


def published(group: str) -> Ints:
    """Published (clear wins, wins) of a set of experiments, shape (budgets, policies, 2).

    Examples
    --------
    >>> published("uniform")[0, -1].tolist()  # budget 50, I-CP
    [10, 23]
    """
    lines = [np.array(line.split(), dtype=np.int64).reshape(-1, 2) for line in _TABLE[group].values()]
    return np.stack(lines)


BUDGETS = tuple(_TABLE["uniform"])
