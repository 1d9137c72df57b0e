"""Labels in annotations: what somebody said, read and written as Label Studio does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from activefs.codec import text_of
from activefs.exceptions import InvalidLabelError
from activefs.label_studio._records import Control

# Where the value of a control stands in a result; a number is no list.
_VALUES = {"choices": "choices", "textarea": "text", "number": "number"}
KINDS = {"Choices": "choices", "TextArea": "textarea", "Number": "number"}
"""Controls that can hold a label, and the type of their results."""


def said(result: Iterable[Mapping[str, Any]], control: str | None = None) -> str:
    """Read the one label that a result holds, as it was said.

    Parameters
    ----------
    result : iterable of mapping
        Regions and values, as Label Studio writes them.
    control : str, optional
        Name of the control; by default, any that can hold a label.

    Raises
    ------
    InvalidLabelError
        If there is no label, or more than one.

    Examples
    --------
    >>> said([{"from_name": "label", "type": "choices", "value": {"choices": ["ill"]}}])
    'ill'
    """
    found: list[Any] = []
    for part in result:
        value = part.get("value")
        field = _VALUES.get(str(part.get("type")))
        if field is None or not isinstance(value, Mapping) or control not in (None, part.get("from_name")):
            continue
        inside = value.get(field)
        found += inside if isinstance(inside, list) else [inside]
    labels = [text_of(label) for label in found if isinstance(label, (str, int, float)) and text_of(label)]
    if not labels:
        raise InvalidLabelError("it holds no label")
    if len(labels) > 1:
        raise InvalidLabelError(f"it holds {len(labels)} labels instead of one")
    return labels[0]


def result_of(label: Any, control: Control) -> list[dict[str, Any]]:
    """Write a label as the result of an annotation.

    Examples
    --------
    >>> result_of("ill", Control("label", "Choices", "row"))[0]["value"]
    {'choices': ['ill']}
    """
    kind = KINDS[control.type]
    value: Any = label if kind == "number" else [str(label)]
    return [{"from_name": control.name, "to_name": control.to_name, "type": kind, "value": {_VALUES[kind]: value}}]
