"""Agreement beyond chance, beside other people's implementations."""

import tracemalloc

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from activefs.agreement import agreement_of, cohen_kappa, krippendorff_alpha

ANSWERS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=2, max_size=40)


def counted(answers):
    counts = np.zeros((3, 3), dtype=int)
    for one, other in answers:
        counts["abc".index(one), "abc".index(other)] += 1
    return counts


@given(ANSWERS)
def test_as_others_compute_it(answers):
    one, other = zip(*answers, strict=True)
    if len({*one, *other}) < 2:
        assert not np.isfinite(cohen_kappa(counted(answers)))
        assert agreement_of([(("x", a), ("y", b)) for a, b in answers]).value is None
        return
    assert cohen_kappa(counted(answers)) == pytest.approx(cohen_kappa_score(one, other), nan_ok=True)
    codes = [["abc".index(a) for a in said] for said in (one, other)]
    assert krippendorff_alpha(counted(answers)) == pytest.approx(
        krippendorff.alpha(reliability_data=codes, level_of_measurement="nominal")
    )


@given(ANSWERS, st.permutations("abc"))
def test_names_of_classes_and_order_of_rows_do_not_matter(answers, others):
    renamed = dict(zip("abc", others, strict=True))
    pairs = [(("x", a), ("y", b)) for a, b in answers]
    again = [(("y", renamed[b]), ("x", renamed[a])) for a, b in reversed(answers)]
    one, other = agreement_of(pairs), agreement_of(again)
    assert one.value == pytest.approx(other.value) and one.n_agreed == other.n_agreed


def test_three_annotators_have_krippendorffs_alpha():
    pairs = [(("x", "a"), ("y", "a")), (("y", "b"), ("z", "b")), (("z", "a"), ("x", "b")), (("x", "b"), ("z", "b"))]
    found = agreement_of(pairs)
    assert found.coefficient == "Krippendorff's alpha" and (found.n_rows, found.n_agreed) == (4, 3)
    # Coincidences: aa 2, bb 4, ab 2; D_o = 2/8, D_e = 1 - (3*2 + 5*4)/(8*7).
    assert found.value == pytest.approx(1 - (2 / 8) / (1 - 26 / 56))


def test_the_interval_holds_what_is_true():
    """Over many studies, the interval of kappa holds the kappa of all rows about as often as it says."""
    rng = np.random.default_rng(0)
    p = np.array([[0.4, 0.1], [0.1, 0.4]])
    true, held = float(cohen_kappa(np.rint(p * 1e6).astype(int))), 0
    for seed in range(200):
        counts = rng.multinomial(60, p.ravel()).reshape(2, 2)
        pairs = [(("x", "ab"[i]), ("y", "ab"[j])) for i in range(2) for j in range(2) for _ in range(counts[i, j])]
        found = agreement_of(pairs, seed)
        assert found.lower is not None and found.upper is not None
        held += found.lower <= true <= found.upper
    assert 175 <= held <= 198


def test_hundreds_of_classes_take_no_more_memory_than_their_answers():
    rng = np.random.default_rng(0)
    said = rng.integers(300, size=(400, 2))
    tracemalloc.start()
    found = agreement_of([(("xz"[i % 2], str(a)), ("y", str(b))) for i, (a, b) in enumerate(said)])
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.value is not None and found.lower is not None and found.upper is not None
    assert found.lower < found.value < found.upper
    assert most < 200e6, "a table per resample would be over a gigabyte"


def test_one_row_has_no_interval():
    found = agreement_of([(("x", "a"), ("y", "b"))])
    assert found.value == 0.0 and found.lower is None and "interval" not in str(found)


def test_nothing_yet():
    found = agreement_of([])
    assert found.value is None and "no row" in str(found)
