"""Leave-one-out errors of ridge regression against leaving rows out for real."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from activefs.model._screening import leave_one_out_error


@pytest.mark.parametrize("shape", [(30, 4), (12, 40), (20, 20)])
@pytest.mark.parametrize("classes", [1, 3])
def test_errors_are_those_of_leaving_rows_out(shape, classes):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=shape), rng.normal(size=(shape[0], classes))
    expected = []
    for penalty in (4.0, 1.0, 1 / 4, 1 / 16, 1 / 64, 1 / 256):
        errors = 0.0
        for i in range(len(X)):
            rest = np.arange(len(X)) != i
            left = Ridge(penalty, fit_intercept=False, tol=1e-12).fit(X[rest], y[rest]).predict(X[i : i + 1])
            errors += float(((y[i] - left) ** 2).sum())
        expected.append(errors)
    assert leave_one_out_error(X, y) == pytest.approx(min(expected), rel=1e-6)


def test_rows_that_are_all_alike():
    assert leave_one_out_error(np.zeros((5, 3)), np.ones((5, 2))) == pytest.approx(10.0)
