"""Policies by name."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from activefs.allocation._base import Policy
from activefs.allocation._information import InformationB, InformationCP, InformationH
from activefs.allocation._max import MaxB, MaxH
from activefs.allocation._proportional import Proportional
from activefs.allocation._variance import VarB, VarCP, VarH
from activefs.exceptions import InvalidInputError

# The paper's order: command line, tables and tests take it from here.
_ALL: tuple[type[Policy], ...] = (
    Proportional,
    MaxH,
    MaxB,
    VarH,
    VarB,
    VarCP,
    InformationH,
    InformationB,
    InformationCP,
)
_POLICIES = {policy.name: policy for policy in _ALL}


def available() -> list[str]:
    """Names that `create` knows, in the paper's order.

    Examples
    --------
    >>> available()
    ['PROP', 'MAX-H', 'MAX-B', 'VAR-H', 'VAR-B', 'VAR-CP', 'I-H', 'I-B', 'I-CP']
    """
    return list(_POLICIES)


def create(policy: str | Policy, **parameters: Any) -> Policy:
    """Return the policy of that name; a policy object is handed back as it is.

    Examples
    --------
    >>> create("I-CP", delta=0.1)
    InformationCP(delta=0.1, criterion='mutual_information')
    """
    if isinstance(policy, Policy):
        return policy
    if policy not in _POLICIES:
        raise InvalidInputError(f"unknown policy {policy!r}; there are: {', '.join(_POLICIES)}")
    kind = _POLICIES[policy]
    unknown = set(parameters) - parameters_of(kind)
    if unknown:
        known = ", ".join(sorted(parameters_of(kind))) or "none"
        raise InvalidInputError(f"policy {policy} has no parameter {', '.join(sorted(unknown))}; it has: {known}")
    return kind(**parameters)


def parameters_of(kind: type[Policy]) -> set[str]:
    """Names of the parameters that a policy class takes."""
    return {f.name for f in fields(kind)} if is_dataclass(kind) else set()
