"""Options of commands, made from the declaration of a session's settings."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer

from activefs.constraints import Optional
from activefs.exceptions import InvalidInputError
from activefs.measurements import IN_THE_TERMINAL
from activefs.options import FileOptions, Option, declared

Command = Callable[..., None]


def with_command_options(
    kind: type, *, required: tuple[str, ...] = (), defaults: Mapping[str, Any] | None = None
) -> Callable[[Command], Command]:
    """Give a command one option per setting; it gets those that were given, checked, as a dictionary `options`.

    Parameters
    ----------
    kind : type
        The declaration.
    required : tuple of str
        Settings that must be given.
    defaults : mapping, optional
        Defaults that differ here; the command itself puts them in.
    """
    known = declared(kind)

    def decorate(function: Command) -> Command:
        hints = get_type_hints(function, include_extras=True)
        own = [p.replace(annotation=hints[p.name]) for p in inspect.signature(function).parameters.values()]
        own = [p for p in own if p.name != "options"]
        more = [_parameter(name, option, name in required, defaults or {}) for name, option in known.items()]

        @wraps(function)
        def command(**given: Any) -> None:
            options = {
                name: read_option(name, option, text)
                for name, option in known.items()
                if (text := given.pop(name, None)) not in (None, [], ())
            }
            function(**given, options=options)

        parameters = sorted([*own, *more], key=lambda p: (p.kind, p.default is not p.empty))
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {p.name: p.annotation for p in parameters}
        return command

    return decorate


def flag_of(name: str, option: Option) -> str:
    """Return the name of a setting on the command line.

    Examples
    --------
    >>> flag_of("random_state", declared()["random_state"])
    '--seed'
    """
    return "--" + (option.flag or name.replace("_", "-"))


def read_option(name: str, option: Option, text: Any) -> Any:
    """Read and check what was given for a setting."""
    flag, accepts, value = flag_of(name, option), option.accepts, option.accepts.from_text(text)
    if value is not None and isinstance(accepts, Optional):
        accepts = accepts.inner  # nobody types None: a setting is left out
    try:
        return accepts.check(flag, value)
    except InvalidInputError as error:
        if not accepts.example:
            raise
        raise InvalidInputError(f"{error}; write it like {flag} {accepts.example}") from None


@contextmanager
def advice_for_the_command_line(more: Mapping[str, str] | None = None) -> Iterator[None]:
    """Turn advice for Python into advice for the command line."""
    try:
        yield
    except InvalidInputError as error:
        raise type(error)(for_the_command_line(str(error), more)) from error


def for_the_command_line(said: str, more: Mapping[str, str] | None = None) -> str:
    """Call settings by their flags in a sentence of advice.

    Examples
    --------
    >>> for_the_command_line("give classes=[...]")
    'give --classes A,B,...'
    """
    replaced = {
        "ignore=...": "--ignore COLUMN, or --id COLUMN if it names the rows",
        "missing='value'": "--missing value",
        "decimal='.'": "--decimal .",
        "binning=...": "--binning COLUMN=kmeans",
        "categorical=...": "--categorical COLUMN",
        "criterion='adjusted_mutual_information'": "--criterion adjusted_mutual_information",
        **IN_THE_TERMINAL,
        "either classes or label_edges": "either --classes or --label-edges",
        "stop_when_gap_below needs estimator='assisted'": "--stop-when-gap-below needs --estimator assisted",
        "stop_when_guaranteed_gap_below does": "--guaranteed-gap-below does",
        "use stop_when_gap_below, or redundancy='none'": "use --stop-when-gap-below, or --redundancy none",
        **{f"{name}=...": flag_of(name, option) for name, option in declared(FileOptions).items()},
        **{f"{name} names": f"--{name} names" for name in ("ignore", "categorical", "bins", "binning")},
        "Study.open(url, X), or ": "",
        "Study.open(url, FILE), or ": "",
        **(more or {}),
    }
    for python, terminal in replaced.items():
        said = said.replace(python, terminal)
    return said


def _parameter(name: str, option: Option, required: bool, defaults: Mapping[str, Any]) -> inspect.Parameter:
    default = defaults.get(name, option.default)
    shown = "" if required or default in (None, ()) else f" (default: {default})"
    declaration = typer.Option(
        flag_of(name, option), help=_for_the_terminal(option.help) + shown, metavar=option.accepts.metavar
    )
    text = list[str] if option.accepts.many else str
    hint: Any = Annotated[text if required else (text | None), declaration]
    nothing = inspect.Parameter.empty if required else None
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=nothing, annotation=hint)


def _for_the_terminal(text: str) -> str:
    """Call settings by their flags."""
    for name, option in declared().items():
        if "_" in name:
            text = text.replace(name, flag_of(name, option))
    return text
