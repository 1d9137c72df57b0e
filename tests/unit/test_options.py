"""Settings are declared once: everybody who takes them takes all of them, and refuses the same."""

import inspect
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline

import activefs
from activefs import ActiveFeatureSelector, Pool, Session, Study, criteria, intervals, redundancy, strategies
from activefs.allocation import REGISTRY as POLICIES
from activefs.cli._options import flag_of
from activefs.cli._select import select
from activefs.cli._study import create
from activefs.exceptions import InvalidInputError
from activefs.options import Options, SessionOptions, check_options, declared, from_json, to_json
from activefs.registry import Registry
from activefs.storages import MemoryStorage
from activefs.strategies import AFS
from activefs.study import AllStudyOptions, StudySettings

RNG = np.random.default_rng(0)
X = RNG.integers(0, 3, size=(60, 5))
Y = (X[:, 1] > 0).astype(int)
NAMES = list(declared(SessionOptions))


def parameters(function):
    return set(inspect.signature(function).parameters)


def command_flags(command):
    found = set()
    for parameter in inspect.signature(command).parameters.values():
        for extra in getattr(parameter.annotation, "__metadata__", ()):
            found |= {extra.default, *(extra.param_decls or ())}  # typer takes the first name for a default
    return found


class TestEverybodyHasAllOfThem:
    @pytest.mark.parametrize(
        "taker", [Session, ActiveFeatureSelector, Study.create], ids=["session", "selector", "study"]
    )
    def test_in_python(self, taker):
        assert parameters(taker) >= {"k", *NAMES}

    def test_stored_settings(self):
        written = StudySettings.checked({"k": 2, "random_state": 3}).to_json()
        assert set(written) >= {"k", *(name if name != "random_state" else "seed" for name in NAMES)}
        json.dumps(written)

    @pytest.mark.parametrize("command", [select, create], ids=["select", "study create"])
    def test_commands(self, command):
        assert command_flags(command) >= {flag_of(name, option) for name, option in declared(Options).items()}

    def test_study_options_are_options_of_its_command(self):
        assert command_flags(create) >= {flag_of(name, option) for name, option in declared(AllStudyOptions).items()}

    def test_every_option_is_described_where_it_is_taken(self):
        for taker in (Session, ActiveFeatureSelector, Study.create):
            text = inspect.getdoc(taker) or ""
            for name, option in declared(SessionOptions).items():
                assert f"\n{name} : {option.accepts.documented()}, " in text
                described = text.split(f"\n{name} : ")[1].split("\n", 1)[1]
                assert " ".join(described.split()).startswith(" ".join(option.help.split()))


def refused():
    return [
        pytest.param(name, value, id=f"{name}={value!r}")
        for name, option in declared(AllStudyOptions).items()
        for value in option.accepts.refused
    ]


class TestInvalidValues:
    def test_there_are_some_for_every_option(self):
        assert all(option.accepts.refused for option in declared(AllStudyOptions).values())

    @pytest.mark.parametrize(("name", "value"), refused())
    def test_by_whoever_takes_it(self, name, value):
        messages = set()
        takers: list[Callable[..., object]] = [lambda **o: Study.create(MemoryStorage(), X, **o)]
        if name in declared(Options):
            takers += [
                lambda **o: Session(X, **o),
                lambda **o: ActiveFeatureSelector(**o).fit(X, Y),
                check_options,
            ]
        for taker in takers:
            given = {"k": 2, name: value}
            with pytest.raises(InvalidInputError) as error:
                taker(given) if taker is check_options else taker(**given)
            messages.add(str(error.value))
        assert len(messages) == 1, "one wording for all"

    def test_unknown_names(self):
        wrong: dict[str, Any] = {"bugdet": 3}
        for taker in (lambda: Session(X, 2, **wrong), lambda: ActiveFeatureSelector(**wrong)):
            with pytest.raises(TypeError, match="bugdet"):
                taker()

    def test_beside_a_pool(self):
        pool = Pool.from_table(X)
        for given in (
            {"bins": 10},
            {"missing": "value"},
            {"binning": "uniform"},
            {"ignore": [0]},
            {"categorical": [1]},
        ):
            with pytest.raises(InvalidInputError, match="Pool"):
                Session(pool, 2, **given)
        with pytest.raises(InvalidInputError, match="Pool"):
            Pool.from_table(pool, bins=4)
        assert Pool.from_table(pool) is pool


class TestNumpyScalars:
    GIVEN: dict[str, Any] = {
        "k": np.int64(2),
        "budget": np.float64(20),
        "delta": np.float32(0.125),
        "random_state": np.int32(4),
        "n_jobs": np.int8(1),
        "stop_when_gap_below": np.float64(0.01),
        "bins": {"x1": np.int64(4)},
        "classes": np.array([0, 1]),
        "ignore": np.array([4]),
        "strategy_params": {"unseen": np.float64(0.5)},
    }

    def test_everywhere(self):
        sessions = Session(X, **self.GIVEN), Session(X, **{n: _plain(v) for n, v in self.GIVEN.items()})
        assert sessions[0].options == sessions[1].options
        assert ActiveFeatureSelector(**self.GIVEN).fit(X, Y).n_labels_ == 20
        study = Study.create(MemoryStorage(), X, **self.GIVEN, lease=np.float64(3))
        assert study.ask() == sessions[0].ask()
        one: Any = np.int64(1)
        sessions[0].tell(one, one)
        assert sessions[0].labels == [1] and type(sessions[0].labels[0]) is int


def _plain(value):
    if isinstance(value, dict):
        return {name: _plain(v) for name, v in value.items()}
    return value.tolist() if hasattr(value, "tolist") else value


class TestJson:
    def test_there_and_back(self):
        given = {
            "k": 3, "strategy": AFS(psi="l2"), "classes": ["a", "b"], "binning": {"x": "none"}, "ignore": ["x", 3],
            "categorical": ["zip", 2],
            "model": LogisticRegression(C=0.5), "cost": "price", "random_state": 1,
        }  # fmt: skip
        written = json.loads(json.dumps(to_json(check_options(given))))
        again = check_options({n: v for n, v in from_json(written).items() if v is not None})
        assert again["strategy"] == "afs"
        assert again["strategy_params"] is not None and again["strategy_params"]["psi"] == "l2"
        assert (
            again["classes"] == ("a", "b")
            and again["ignore"] == ("x", 3)
            and again["categorical"] == ("zip", 2)
            and again["binning"] == {"x": "none"}
        )
        assert again["model"].get_params() == LogisticRegression(C=0.5).get_params()

    def test_what_text_cannot_hold_is_refused(self):
        class Mine(AFS):
            name = "mine"

        given: dict[str, Any] = {"strategy": Mine(), "cost": np.ones(60), "model": _Own()}
        for name, value in given.items():
            with pytest.raises(InvalidInputError, match=f"^{name} must be"):
                Study.create(MemoryStorage(), X, 2, **{name: value})

    def test_no_class_but_scikit_learns_is_ever_loaded(self):
        accepts = declared()["model"].accepts
        for name in ("os.system", "subprocess.Popen", "sklearn.os.system", "sklearn.utils.Bunch", "sklearn.none.X"):
            with pytest.raises(InvalidInputError, match="no classifier"):
                accepts.from_json({"class": name, "params": {}})

    def test_a_study_keeps_its_model(self):
        storage = MemoryStorage()
        study = Study.create(storage, X, 2, model=BernoulliNB(alpha=0.5), budget=20, random_state=0)
        session = Session(X, 2, model=BernoulliNB(alpha=0.5), budget=20, random_state=0)
        for _ in range(20):
            row = session.ask()
            assert Study.open(storage, X).ask() == row
            session.tell(row, int(Y[row]))
            study.tell(row, int(Y[row]))
        assert study.selection() == session.selection()


class _Own(LogisticRegression):  # type: ignore[misc]  # scikit-learn has no types
    pass


REGISTRIES: list[Registry[Any]] = [
    strategies.REGISTRY,
    criteria.REGISTRY,
    intervals.REGISTRY,
    redundancy.REGISTRY,
    POLICIES,
]


class TestParts:
    @pytest.mark.parametrize(
        "kind", [c for registry in REGISTRIES for c in registry.classes().values()], ids=lambda kind: kind.__name__
    )
    def test_parameters_and_repr(self, kind):
        part = kind()
        params = part.get_params()
        assert kind(**params) == part and clone(part) == part
        scope = {name: getattr(package, name) for package in _packages() for name in package.__all__}
        assert eval(repr(part), scope) == part
        assert repr(part) == f"{kind.__name__}()" or "delta=" in repr(part)
        with pytest.raises(InvalidInputError, match="no parameter 'nonsense'"):
            part.set_params(nonsense=1)

    def test_repr_with_parameters(self):
        part = AFS(psi="linf", safeguard=None)
        assert repr(part) == "AFS(psi='linf', safeguard=None)" and eval(repr(part)) == part
        assert part != AFS() and part.set_params(psi="l1", safeguard=30) == AFS()
        with pytest.raises(InvalidInputError, match="psi"):
            part.set_params(psi="l9")
        assert part == AFS()

    def test_grid_search_reaches_them(self):
        made = make_pipeline(ActiveFeatureSelector(k=2, budget=20, strategy=AFS(), random_state=0), BernoulliNB())
        found = GridSearchCV(made, {"activefeatureselector__strategy__psi": ["l1", "l2"]}, cv=2).fit(X, Y)
        assert found.best_estimator_[0].strategy.psi == found.best_params_["activefeatureselector__strategy__psi"]

    def test_the_default_strategy_is_the_same_everywhere(self):
        study = Study.create(MemoryStorage(), X, 2)
        assert Session(X, 2).strategy.name == ActiveFeatureSelector().strategy == "assisted"
        assert study._engine.settings.strategy == "assisted"


def _packages():
    return activefs.strategies, criteria, intervals, redundancy, __import__("activefs.allocation").allocation
