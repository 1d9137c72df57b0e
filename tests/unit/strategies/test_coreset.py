"""CORESET: farthest-first traversal in Hamming distance."""

from __future__ import annotations

import numpy as np
import pytest

from activefs import Session
from activefs._kernels.distances import hamming, modes, nearest_centres


def table(seed: int = 0, rows: int = 60, columns: int = 300) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 4, size=(rows, columns))


@pytest.mark.parametrize("columns", [1, 254, 255, 256, 700])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_hamming_counts_differences_beyond_what_a_byte_holds(columns: int, dtype: type) -> None:
    rng = np.random.default_rng(columns)
    codes: np.ndarray = rng.integers(0, 3, size=(columns, 5000)).astype(dtype)
    codes[:, 7] = 3  # differs from the others in every feature
    point = np.ascontiguousarray(codes[:, 7])
    out = np.empty(5000, dtype=np.int32)
    hamming(codes, np.arange(columns), point, 0, 5000, out)
    assert (out == (codes != point[:, None]).sum(axis=0)).all()
    assert out.max() == columns


def test_nearest_centres_and_modes_by_hand() -> None:
    codes = np.array([[0, 0, 1, 1, 1], [0, 0, 2, 2, 0]], dtype=np.uint8)
    centres = np.array([[0, 0], [1, 2]], dtype=np.uint8)
    own, distance = np.empty(5, dtype=np.int64), np.empty(5, dtype=np.int32)
    nearest_centres(codes, centres, own, distance)
    assert own.tolist() == [0, 0, 1, 1, 0]  # the last row is one away from both: the first wins
    assert distance.tolist() == [0, 0, 0, 0, 1]
    modes(codes, np.array([1, 1, 1, 1, 1]), np.array([2, 3]), centres)
    assert centres.tolist() == [[0, 0], [1, 0]]  # the first owns nothing and stays; ties: the smaller code


def test_traversal_equals_the_plain_definition() -> None:
    X = table()
    session = Session(X, k=2, strategy="coreset", random_state=3, budget=25)
    while not session.finished:
        row = session.ask()
        if session.n_labels:
            distance = (X[:, None, :] != X[session.labelled][None]).sum(axis=2).min(axis=1)
            distance[session.labelled] = -1
            assert distance[row] == distance.max()
        session.tell(row, int(row % 2))
    assert session.n_labels == 25


def test_first_row_is_random_and_labels_do_not_matter() -> None:
    X = table()
    assert len({Session(X, k=1, strategy="coreset", random_state=s).ask() for s in range(20)}) > 10

    def rows(flip: int) -> list[int]:
        session = Session(X, k=1, strategy="coreset", random_state=5)
        for _ in range(10):
            row = session.ask()
            session.tell(row, (row + flip) % 2)
        labelled: list[int] = session.labelled.tolist()
        return labelled

    assert rows(0) == rows(1)


def test_pending_rows_are_centres_and_replay_and_undo_give_the_same_question() -> None:
    X = table()
    session = Session(X, k=1, strategy="coreset", random_state=1)
    batch = session.ask(n=6)
    assert len(set(batch.tolist())) == 6
    for row in batch:
        session.tell(int(row), int(row % 2))
    following = session.ask()
    replayed = Session(X, k=1, strategy="coreset", random_state=1)
    replayed.tell(batch.tolist(), [int(row % 2) for row in batch])
    assert replayed.ask() == following
    session.release(following)
    assert session.undo() == batch[-1]
    one_less = Session(X, k=1, strategy="coreset", random_state=1)
    one_less.tell(batch[:-1].tolist(), [int(row % 2) for row in batch[:-1]])
    asked = session.ask()
    assert asked == one_less.ask()
    distance = (X[:, None, :] != X[batch[:-1]][None]).sum(axis=2).min(axis=1)
    assert distance[asked] == np.delete(distance, batch[:-1]).max()
