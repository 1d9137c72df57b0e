import math

import numpy as np
import pytest
from afs_reference import PHI, extremum, g
from afs_reference import _entropy_grid as entropy_grid
from afs_reference import _sd_grid as sd_grid

from activefs import criteria
from activefs.criteria import Criterion, Gini, MutualInformation, available, create, delta_per_class
from activefs.exceptions import InvalidInputError
from activefs.intervals import ClopperPearson
from activefs.testing import CriterionContract, parts_of


class TestEveryCriterion(CriterionContract):
    @pytest.fixture(autouse=True, params=parts_of(criteria, Criterion), ids=lambda c: c.__name__)
    def _criterion(self, request):
        self.criterion = request.param()


def test_names_are_those_of_the_public_classes():
    assert sorted(available()) == sorted(c.name for c in parts_of(criteria, Criterion))
    for name in available():
        assert create(name).name == name
    with pytest.raises(InvalidInputError, match="mutual_information"):
        create("mutual information")


def test_entropy_by_hand():
    mi = MutualInformation()
    assert float(mi.value([0.5, 0.5])) == pytest.approx(math.log(2), rel=1e-15)
    assert float(mi.value([0.25, 0.75])) == pytest.approx(0.25 * math.log(4) + 0.75 * math.log(4 / 3), rel=1e-14)
    assert float(mi.value([1 / 3] * 3)) == pytest.approx(math.log(3), rel=1e-15)
    # surprisals of (1/2, 1/4, 1/4): ln 2, 2 ln 2, 2 ln 2; mean 1.5 ln 2, every one 0.5 ln 2 away from it
    assert float(mi.spread([0.5, 0.25, 0.25])) == pytest.approx(0.5 * math.log(2), rel=1e-14)


def test_phi_and_g_of_the_paper():
    mi = MutualInformation()
    assert mi.phi == pytest.approx(PHI, rel=1e-12)
    assert mi.phi == pytest.approx(0.0832217, abs=1e-7)
    for x in (0.01, 0.0832217, 0.3, 0.5, 0.9):
        assert float(mi.binary_spread(x)) == pytest.approx(g(x), rel=1e-12, abs=1e-15)
    # sqrt(0.1 * 0.9) * ln 9 = 0.3 * 2.1972246
    assert float(mi.binary_spread(0.1)) == pytest.approx(0.3 * math.log(9), rel=1e-14)


def test_ucb_of_g_by_hand():
    mi = MutualInformation()
    peak = g(PHI)
    assert float(mi.binary_spread_upper(0.0, 1.0)) == pytest.approx(peak)
    assert float(mi.binary_spread_upper(0.05, 0.3)) == pytest.approx(peak)
    assert float(mi.binary_spread_upper(0.7, 0.95)) == pytest.approx(peak)  # 1 - phi lies inside
    assert float(mi.binary_spread_upper(0.2, 0.4)) == pytest.approx(g(0.2))
    assert float(mi.binary_spread_upper(0.3, 0.8)) == pytest.approx(g(0.8))
    assert float(mi.binary_spread_upper(0.0, 0.05)) == pytest.approx(g(0.05))
    assert float(mi.binary_spread_upper(0.95, 1.0)) == pytest.approx(g(0.95))


def test_binary_bounds_by_hand():
    mi = MutualInformation()
    h = lambda q: float(mi.binary_value(q))  # noqa: E731
    for low, high, smallest, largest in [
        (0.0, 1.0, 0.0, math.log(2)),
        (0.1, 0.3, h(0.1), h(0.3)),
        (0.6, 0.9, h(0.9), h(0.6)),
        (0.4, 0.9, h(0.9), math.log(2)),
    ]:
        found = [float(b) for b in mi.binary_bounds(low, high)]
        assert found == pytest.approx([smallest, largest], rel=1e-12)


def test_gini_by_hand():
    gini = Gini()
    assert float(gini.value([0.25, 0.75])) == pytest.approx(1 - 1 / 16 - 9 / 16)
    # 2 sqrt(x (1-x)) |1 - 2x| at x = 1/4: 2 * sqrt(3)/4 * 1/2
    assert float(gini.binary_spread(0.25)) == pytest.approx(math.sqrt(3) / 4)


@pytest.mark.parametrize("counts", [(0, 0, 0), (1, 0, 0), (3, 2, 0), (4, 4, 4), (12, 1, 0), (30, 11, 2), (80, 9, 8)])
@pytest.mark.parametrize("delta", [0.05, 0.4])
def test_three_classes_against_brute_force(counts, delta):
    mi = MutualInformation()
    lower, upper = ClopperPearson().bounds(np.array(counts), sum(counts), delta_per_class(delta, 3))
    box = tuple(zip(lower.tolist(), upper.tolist(), strict=True))
    smallest, largest = (float(b[0]) for b in mi.bounds(lower[None], upper[None]))
    assert smallest == pytest.approx(extremum(entropy_grid, box, False), rel=1e-9, abs=1e-9)
    assert largest == pytest.approx(extremum(entropy_grid, box, True), rel=1e-9)
    spread = float(mi.spread_upper(lower[None], upper[None])[0])
    assert spread == pytest.approx(extremum(sd_grid, box, True), rel=1e-9)


def test_delta_is_shared_among_three_and_more_classes_only():
    assert delta_per_class(0.05, 2) == 0.05
    assert delta_per_class(0.06, 3) == pytest.approx(0.02)
    assert delta_per_class(0.05, 10) == pytest.approx(0.005)
