import numpy as np
import pandas as pd
import pytest

from activefs import ActiveFeatureSelector, Session
from activefs.exceptions import InvalidInputError, NothingToAsk

RNG = np.random.default_rng(0)
X = RNG.integers(0, 3, size=(120, 8))
Y = (X[:, 2] > 0).astype(int)
COST = RNG.choice([0.5, 1.0, 4.0], size=120)


def run(session: Session) -> Session:
    while not session.finished:
        row = session.ask()
        session.tell(row, Y[row])
    return session


def test_the_budget_is_a_sum_of_costs():
    session = run(Session(X, k=3, budget=20, cost=COST, random_state=0, when_certified="continue"))
    spent = COST[session.labelled].sum()
    assert spent <= 20
    cheapest_left = COST[np.setdiff1d(np.arange(120), session.labelled)].min()
    assert spent + cheapest_left > 20
    with pytest.raises(NothingToAsk, match="budget of 20"):
        session.ask()


def test_equal_costs_change_nothing_but_the_unit():
    plain = run(Session(X, k=3, budget=30, random_state=3))
    priced = run(Session(X, k=3, budget=60, cost=np.full(120, 2.0), random_state=3))
    assert plain.labelled.tolist() == priced.labelled.tolist()


@pytest.mark.parametrize("strategy", ["afs", "avg-sel", "avg-all", "single"])
def test_the_score_per_cost_decides(strategy):
    # Two halves with the same rows, one of them dear: with scores alike, only cheap rows are asked.
    doubled = np.concatenate([X, X])
    cost = np.concatenate([np.full(120, 10.0), np.full(120, 1.0)])
    session = Session(doubled, k=3, strategy=strategy, budget=25, cost=cost, random_state=0)
    rows = []
    for _ in range(25):
        rows.append(session.ask())
        session.tell(rows[-1], Y[rows[-1] % 120])
    assert min(rows) >= 120


def test_psi_l2_is_not_squared_before_it_is_divided():
    # score / cost must be compared, not score^2 / cost: l2 scores are true norms.
    from activefs.strategies import AFS

    session = Session(X, k=3, strategy=AFS(psi="l2"), random_state=0)
    session.tell(np.arange(20), Y[:20])
    state = session._engine.state(session._position)
    features = session.contested().features
    scores = AFS(psi="l2").score(state, features)
    cost = 1 + np.arange(120) % 3
    priced = Session(X, k=3, strategy=AFS(psi="l2"), random_state=0, cost=cost)
    priced.tell(np.arange(20), Y[:20])
    asked = priced.ask()
    gains = scores / cost
    gains[:20] = -np.inf
    assert gains[asked] == pytest.approx(gains.max(), rel=1e-9)


def test_pending_rows_are_paid_for():
    session = Session(X, k=3, budget=4, cost=np.ones(120), random_state=0)
    assert len(session.ask(n=10)) == 4
    with pytest.raises(NothingToAsk, match="spoken for: 4 rows await"):
        session.ask()
    assert not session.finished


def test_ten_times_a_tenth_fits_into_one():
    session = run(Session(X, k=3, budget=1.0, cost=np.full(120, 0.1), random_state=0, when_certified="continue"))
    assert session.n_labels == 10


def test_a_column_may_hold_the_cost_and_is_then_no_feature():
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(8)]).assign(price=COST)
    session = Session(frame, k=3, budget=10, cost="price", random_state=0)
    assert "price" not in session.pool.names
    cost = session._engine.budget.cost
    assert cost is not None and cost.tolist() == COST.tolist()
    selector = ActiveFeatureSelector(k=3, budget=10, cost="price", random_state=0).fit(frame, Y)
    assert "price" not in selector.selection_.names
    assert COST[selector.queried_indices_].sum() <= 10


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        (np.zeros(120), "above zero; row 0 has 0, and 119 more"),
        (np.where(np.arange(120) == 7, -1.0, 1.0), "row 7 has -1"),
        (np.full(120, np.nan), "finite number above zero"),
        (np.ones(119), "shape"),
        (["a"] * 120, "one number per row"),
        ("price", "there is no column 'price'"),
    ],
)
def test_bad_costs_are_refused(cost, message):
    with pytest.raises(InvalidInputError, match=message):
        Session(X, k=3, cost=cost)


@pytest.mark.parametrize("budget", [0, -1.5, np.nan, np.inf, "ten"])
def test_bad_budgets_with_costs_are_refused(budget):
    with pytest.raises(InvalidInputError, match="above 0"):
        Session(X, k=3, cost=COST, budget=budget)
