"""Every setting of a session, declared once: type, default, constraint, and a sentence that says what it does.

`Session`, `ActiveFeatureSelector`, `Study`, the settings that a study keeps, and the commands read this declaration:
their signatures, docstrings, checks, error texts and command-line options come from it. To add a setting, declare it
here and use it.
"""

import inspect
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict, TypeVar, cast

from activefs.constraints import (
    BINNING,
    BINS,
    CATEGORICAL,
    DECIMAL,
    ENCODING,
    IGNORE,
    MISSING,
    SEPARATOR,
    SHEET,
    Choice,
    Classifier,
    Constraint,
    Cost,
    Edges,
    Jobs,
    Labels,
    Number,
    Optional,
    Parameters,
    Part,
    Seed,
    Whole,
)
from activefs.exceptions import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from activefs.criteria import Criterion
    from activefs.redundancy import Rule
    from activefs.strategies import Strategy
    from activefs.types import Binning, Estimator, Missing, WhenCertified

REQUIRED: Any = inspect.Parameter.empty


@dataclass(frozen=True)
class Option:
    """What is known of a setting besides its name and type.

    Attributes
    ----------
    default : object
        What it is if nobody says anything.
    accepts : Constraint
        What it may be.
    help : str
        What it does, in a sentence.
    flag : str
        Its name on the command line, if that is another one.
    of_table : bool
        Whether it says how a table is read, which a ready `Pool` has behind it.
    """

    default: Any
    accepts: Constraint
    help: str
    flag: str = ""
    of_table: bool = False


class SessionOptions(TypedDict, total=False):
    """Settings of a session that have a default."""

    strategy: Annotated[
        "str | Strategy",
        Option("assisted", Part("activefs.strategies"), "How rows are chosen; 'afs' is the algorithm of the paper."),
    ]
    strategy_params: Annotated[
        "Mapping[str, Any] | None",
        Option(None, Optional(Parameters()), "Parameters of a strategy given by name.", flag="strategy-param"),
    ]
    budget: Annotated[
        "float | None",
        Option(
            None,
            Optional(Number(above=0)),
            "Labels in all, those included that were told without having been asked for; with cost, the sum of what "
            "they cost.",
        ),
    ]
    delta: Annotated[
        float,
        Option(
            0.05,
            Number(above=0, below=1),
            "Confidence parameter: guarantees hold with probability 1 - delta, for all features and moments at once; "
            "other bounds are 1 - delta intervals.",
        ),
    ]
    criterion: Annotated[
        "str | Criterion",
        Option("mutual_information", Part("activefs.criteria"), "Quality measure of a feature."),
    ]
    estimator: Annotated[
        "Estimator | None",
        Option(
            None,
            Optional(Choice("plug-in", "assisted")),
            "How features are judged: by the labelled rows alone ('plug-in'), or by all rows, with a model that "
            "completes the labels ('assisted'); by default what suits the strategy.",
        ),
    ]
    model: Annotated[
        Any,
        Option(
            None,
            Optional(Classifier()),
            "Classifier with predict_proba that completes the labels (in a command: sklearn.MODULE.CLASS, with "
            "NAME=VALUE, ... in brackets behind it); the default needs no tuning.",
        ),
    ]
    stop_when_gap_below: Annotated[
        "float | None",
        Option(
            None,
            Optional(Number(above=0)),
            "Stop once the chosen features together are expected to lack less than this against the best ones "
            "(assisted estimate only; looked at one label after the model learns again, from 31 labels on).",
        ),
    ]
    stop_when_guaranteed_gap_below: Annotated[
        "float | None",
        Option(
            None,
            Optional(Number(above=0)),
            "Stop once the chosen features together are guaranteed to lack less than this against the best ones "
            "(confidence 1 - delta; looked at after every tenth more labels; not with a redundancy rule).",
            flag="guaranteed-gap-below",
        ),
    ]
    redundancy: Annotated[
        "str | Rule",
        Option(
            "none",
            Part("activefs.redundancy"),
            "How k features are made of single ones: 'none' takes the k best, 'mrmr', 'jmi' and 'cmim' avoid features "
            "that tell the same.",
        ),
    ]
    cost: Annotated[
        "ArrayLike | str | None",
        Option(
            None,
            Optional(Cost()),
            "What the label of each row costs, or the column that says so, which is then no feature: the score per "
            "cost decides, and the budget is a sum of costs.",
        ),
    ]
    classes: Annotated[
        "Sequence[Any] | None",
        Option(None, Optional(Labels()), "The possible labels; by default they turn up as labels are told."),
    ]
    label_edges: Annotated[
        "Sequence[float] | None",
        Option(
            None,
            Optional(Edges()),
            "Ascending numbers that make classes of a label that is a number: with 5 and 7.5 they are 'below 5', '5 to "
            "7.5' and '7.5 and above' (a number on an edge belongs to the class above it); numbers are told and kept.",
        ),
    ]
    missing: Annotated[
        "Missing",
        Option(
            "error",
            MISSING,
            "Missing values: 'error', or 'value' to make them a value of their own.",
            of_table=True,
        ),
    ]
    binning: Annotated[
        "Binning | Literal['none'] | Mapping[str | int, Binning | Literal['none']]",
        Option(
            "kmeans",
            BINNING,
            "How columns of numbers are binned that have more values than bins, for all or by column: 'kmeans', "
            "'quantile', 'uniform', or 'none' to keep values as they are.",
            of_table=True,
        ),
    ]
    bins: Annotated[
        "int | Mapping[str | int, int]",
        Option(
            10,
            BINS,
            "Number of bins, for all columns or by column: numbers that have more values are binned, whole ones too, "
            "since many values look informative by chance alone.",
            of_table=True,
        ),
    ]
    ignore: Annotated[
        "Sequence[str | int]",
        Option((), IGNORE, "Columns that are no features: ids, notes, dates.", of_table=True),
    ]
    categorical: Annotated[
        "Sequence[str | int]",
        Option(
            (),
            CATEGORICAL,
            "Columns whose numbers are names, such as postcodes: kept as they are, and their order means nothing.",
            of_table=True,
        ),
    ]
    when_certified: Annotated[
        "WhenCertified",
        Option(
            "stop",
            Choice("stop", "continue"),
            "Whether to stop once the top k is certified (looked at after every tenth more labels) or, with 'afs' and "
            "its relatives, settled by the rule of the paper; if not, a strategy that has nothing left to contest "
            "chooses rows at random.",
        ),
    ]
    random_state: Annotated[
        Any, Option(None, Seed(), "Seed of everything random; without one, each time another.", flag="seed")
    ]
    n_jobs: Annotated[
        "int | None",
        Option(None, Jobs(), "Threads; by default one, with -1 all cores; no answer depends on it.", flag="jobs"),
    ]


class Options(SessionOptions):
    """All settings of a session."""

    k: Annotated[int, Option(REQUIRED, Whole(1), "Number of features wanted, at most the number of columns that vary.")]


class TextFileOptions(TypedDict, total=False):
    """How a text file is read: settings of whoever takes one, found out where nobody says them."""

    sep: Annotated[
        "str | None",
        Option(
            None,
            Optional(SEPARATOR),
            "What is between the columns of a text file, such as ';' or tab; by default it is found out.",
        ),
    ]
    decimal: Annotated[
        "str | None",
        Option(None, Optional(DECIMAL), "The decimal sign of a text file; by default it is found out."),
    ]
    encoding: Annotated[
        "str | None",
        Option(
            None,
            Optional(ENCODING),
            "The encoding of a text file, such as cp1252 or utf-16; by default it is found out.",
        ),
    ]


class FileOptions(TextFileOptions, total=False):
    """How the file of a table is read."""

    sheet: Annotated[
        "str | None",
        Option(None, Optional(SHEET), "The sheet of an Excel file; by default the first that is not empty."),
    ]


F = TypeVar("F", bound=Callable[..., Any])


@cache
def declared(kind: type = Options) -> dict[str, Option]:
    """Return the settings that a declaration has, in its order.

    Examples
    --------
    >>> declared()["delta"].default
    0.05
    """
    found: dict[str, Option] = {}
    for name, hint in kind.__annotations__.items():
        for extra in getattr(hint, "__metadata__", ()):
            if isinstance(extra, Option):
                found[name] = extra
    return found


def check_options(given: Mapping[str, Any], kind: type = Options) -> Options:
    """Return all settings, those given as plain values and the others by their defaults.

    Raises
    ------
    TypeError
        If there is no setting of a name, or a required one is missing.
    InvalidInputError
        If a value is not accepted; the message says what is.

    Examples
    --------
    >>> import numpy as np
    >>> check_options({"k": np.int64(3)})["k"]
    3
    """
    known = declared(kind)
    if unknown := sorted(set(given) - set(known)):
        raise TypeError(f"there is no option {', '.join(map(repr, unknown))}; there are: {', '.join(known)}")
    checked: dict[str, Any] = {}
    for name, option in known.items():
        if name in given:
            checked[name] = option.accepts.check(name, given[name])
        elif option.default is REQUIRED:
            raise TypeError(f"the option {name!r} is missing")
        else:
            checked[name] = option.default
    return cast("Options", checked)


def to_json(options: Mapping[str, Any], kind: type = Options) -> dict[str, Any]:
    """Write settings as what JSON can hold; a strategy given as an object is written as its name and parameters."""
    known = declared(kind)
    written = dict(options)
    strategy = written.get("strategy")
    if strategy is not None and not isinstance(strategy, str):
        registered = known["strategy"].accepts.registry.classes().get(strategy.name)  # type: ignore[attr-defined]
        if registered is type(strategy):
            written["strategy"], written["strategy_params"] = strategy.name, strategy.get_params(deep=False)
    return {name: known[name].accepts.to_json(name, value) for name, value in written.items() if name in known}


def from_json(content: Mapping[str, Any], kind: type = Options) -> dict[str, Any]:
    """Read settings; what a later release may have added is left out."""
    known = declared(kind)
    return {name: known[name].accepts.from_json(value) for name, value in content.items() if name in known}


def of_table(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings among these that say how a table is read."""
    return {name: options[name] for name, option in declared().items() if option.of_table and name in options}


def refuse_beside_pool(given: Mapping[str, Any]) -> None:
    """Refuse settings that say how a table is read, where a ready pool was given."""
    if beside := list(of_table(given)):
        raise InvalidInputError(
            f"{', '.join(beside)} {'say' if len(beside) > 1 else 'says'} how a table is read, but a Pool is a table "
            "that was read already: give it to Pool.from_table"
        )


def with_options(kind: type = SessionOptions, *, defaults: Mapping[str, Any] | None = None) -> Callable[[F], F]:
    """Give a function that takes ``**options`` the signature in which every setting is spelled out.

    Parameters
    ----------
    kind : type
        The declaration.
    defaults : mapping, optional
        Defaults that differ here.
    """

    def decorate(function: F) -> F:
        plain = inspect.signature(function)
        own = [p for p in plain.parameters.values() if p.kind is not p.VAR_KEYWORD]
        taken = {p.name for p in own}
        more = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=(defaults or {}).get(name, option.default))
            for name, option in declared(kind).items()
            if name not in taken
        ]
        positional = [p for p in own if p.kind is not p.KEYWORD_ONLY]
        keyword = [p for p in own if p.kind is p.KEYWORD_ONLY]
        function.__signature__ = plain.replace(parameters=[*positional, *more, *keyword])  # type: ignore[attr-defined]
        return function

    return decorate


def document_options(kind: type = SessionOptions, *, defaults: Mapping[str, Any] | None = None) -> Callable[[F], F]:
    """Put the settings, one by one, where the docstring of a class or function says ``**options``."""

    def decorate(thing: F) -> F:
        doc = inspect.getdoc(thing) or ""
        head, mark, rest = doc.partition("**options\n")
        if not mark:  # docstrings were stripped
            return thing
        rest = rest[rest.index("\n") + 1 :]  # the line that refers here
        lines = []
        for name, option in declared(kind).items():
            default = (defaults or {}).get(name, option.default)
            accepted = f"{option.accepts.documented()}, {'optional' if default is None else f'default {default!r}'}"
            lines.append(f"{name} : {accepted}\n{textwrap.indent(textwrap.fill(option.help, 100), '    ')}\n")
        thing.__doc__ = head + "".join(lines) + rest
        return thing

    return decorate
