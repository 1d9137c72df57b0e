"""Classes of cluster centres, learnt from labelled rows that belong to several clusters."""

from __future__ import annotations

import numpy as np

from activefs._kernels.jit import kernel
from activefs.types import Floats, Ints

_MAX_ROUNDS = 100
_TOLERANCE = 1e-10


@kernel
def _softmax(inputs: Floats, weights: Floats) -> Floats:
    """Class probabilities of every centre."""
    centres, classes = inputs.shape[0], weights.shape[1]
    out = np.zeros((centres, classes))
    for k in range(centres):
        for a in range(inputs.shape[1]):
            for c in range(classes):
                out[k, c] += inputs[k, a] * weights[a, c]
        out[k] = np.exp(out[k] - out[k].max())
        out[k] /= out[k].sum()
    return out


@kernel
def _loss(membership: Floats, labels: Ints, probabilities: Floats, weights: Floats, penalty: Floats) -> float:
    total = 0.0
    for i in range(labels.shape[0]):
        p = 0.0
        for k in range(membership.shape[1]):
            p += membership[i, k] * probabilities[k, labels[i]]
        total -= np.log(p)
    for a in range(weights.shape[0]):
        for c in range(weights.shape[1]):
            total += 0.5 * penalty[a] * weights[a, c] ** 2
    return total


@kernel
def classes_of_centres(membership: Floats, labels: Ints, classes: int, inputs: Floats, penalty: Floats) -> Floats:
    """P(y | k) of every centre, by a penalised logistic regression that labelled rows reach through P(k | x).

    Minimises -sum_i log sum_k P(k | x_i) P(y_i | k) + sum_a penalty_a / 2 ||w_a||^2, P(. | k) = softmax(w^T inputs_k):
    expectation of the clusters that rows come from, then a Newton step for w, halved until the loss falls.
    """
    centres, size = inputs.shape
    weights = np.zeros((size, classes))
    probabilities = _softmax(inputs, weights)
    loss = _loss(membership, labels, probabilities, weights, penalty)
    for _ in range(_MAX_ROUNDS):
        counts = np.zeros((centres, classes))
        for i in range(labels.shape[0]):
            joint = membership[i] * probabilities[:, labels[i]]
            counts[:, labels[i]] += joint / joint.sum()
        slope = np.zeros(size * classes)
        curve = np.zeros((size * classes, size * classes))
        for a in range(size):
            for c in range(classes):
                at = a * classes + c
                slope[at] = penalty[a] * weights[a, c]
                curve[at, at] = penalty[a]
        for k in range(centres):
            n = counts[k].sum()
            for a in range(size):
                for c in range(classes):
                    at = a * classes + c
                    slope[at] += inputs[k, a] * (n * probabilities[k, c] - counts[k, c])
                    for b in range(size):
                        for e in range(classes):
                            both = (probabilities[k, c] if c == e else 0.0) - probabilities[k, c] * probabilities[k, e]
                            curve[at, b * classes + e] += n * inputs[k, a] * inputs[k, b] * both
        step = np.linalg.solve(curve, slope).reshape((size, classes))
        better = loss
        for _half in range(30):
            tried = weights - step
            now = _softmax(inputs, tried)
            better = _loss(membership, labels, now, tried, penalty)
            if better <= loss:
                break
            step *= 0.5
        if better > loss:
            break
        weights, probabilities = tried, now
        if loss - better <= _TOLERANCE * max(1.0, abs(loss)):
            break
        loss = better
    return probabilities


@kernel
def log_errors(membership: Floats, probabilities: Floats, out: Floats) -> None:
    """Logarithm of 1 - max_y P(y | x) of every row, P(y | x) = sum_k P(k | x) P(y | k).

    The other classes are added up, which is exact where 1 - max would cancel.
    """
    classes = probabilities.shape[1]
    likely = np.empty(classes)
    for i in range(membership.shape[0]):
        best = 0
        total = 0.0
        for c in range(classes):
            p = 0.0
            for k in range(membership.shape[1]):
                p += membership[i, k] * probabilities[k, c]
            likely[c] = p
            total += p
            if p > likely[best]:
                best = c
        error = 0.0
        for c in range(classes):
            if c != best:
                error += likely[c]
        out[i] = np.log(max(error / total, 1e-300))
