"""How a project asks: made from the classes of a study, or checked against them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from xml.etree.ElementTree import Element, SubElement, tostring

from activefs.codec import text_of
from activefs.exceptions import InvalidInputError
from activefs.label_studio._errors import printable
from activefs.label_studio._labels import KINDS
from activefs.label_studio._records import Control, Project
from activefs.study import StudyEngine

CELLS, TEXT, IMAGE, MEDIA = "activefs_cells", "activefs_text", "activefs_image", "activefs_media_"
"""Fields of a task's data that a project made here shows; media are numbered."""
_CONTROL = "label"
_CLASSES_AT_ONCE = 12  # more are found in a list with a search, as on the pages of a study
_NAMED = 5
_IMAGE_WIDTH = "480px"


def kinds_for(engine: StudyEngine) -> tuple[str, ...]:
    """Name the controls that can hold labels of a study, the best one first."""
    if engine.rules.ranges is not None:
        return ("Number", "TextArea")
    return ("TextArea", "Choices") if engine.settings.free_labels else ("Choices",)


def made_control(engine: StudyEngine, shown: Iterable[str]) -> Control:
    """Describe the control of a project that is made here."""
    kind = kinds_for(engine)[0]
    labels = tuple(text_of(label) for label in engine.classes()) if kind == "Choices" else ()
    return Control(_CONTROL, kind, next(iter(shown)), labels)


def label_config(engine: StudyEngine, shown: Mapping[str, str]) -> str:
    """Write the label config of a new project: one control for the label, and what is shown of a row.

    Everything that comes from the study is text in it: neither its classes nor its cells can be markup.
    """
    control = made_control(engine, shown)
    if bad := [label for label in control.labels if label.startswith("$")]:
        raise InvalidInputError(f"Label Studio takes the class {bad[0]!r} for the name of a field: it begins with $")
    view = Element("View")
    SubElement(view, "Header", value=engine.settings.question)
    _add_control(view, control, engine.settings.class_descriptions or {})  # below a long table nobody would see it
    for field, tag in shown.items():
        size = {"maxWidth": _IMAGE_WIDTH} if tag == "Image" else {}
        SubElement(view, tag, {"name": field, "value": f"${field}"} | size)
    return tostring(view, encoding="unicode")


def _add_control(view: Element, control: Control, descriptions: Mapping[str, str]) -> None:
    hints = {text_of(label): {"hint": said} for label, said in descriptions.items()}
    attributes = {"name": control.name, "toName": control.to_name, "required": "true"}
    if control.type == "TextArea":
        SubElement(view, control.type, attributes | {"maxSubmissions": "1", "rows": "1", "editable": "true"})
    elif control.type == "Number":
        SubElement(view, control.type, attributes | {"step": "any"})
    else:
        many = {"layout": "select"} if len(control.labels) > _CLASSES_AT_ONCE else {"showInline": "true"}
        choices = SubElement(view, control.type, attributes | {"choice": "single"} | many)
        for label in control.labels:
            SubElement(choices, "Choice", {"value": label} | hints.get(label, {}))


def fitting_control(engine: StudyEngine, project: Project, fields: Collection[str]) -> Control:
    """Find the control of a project that asks for the labels of a study, or say why there is none.

    Parameters
    ----------
    engine : StudyEngine
        The study.
    project : Project
        The project.
    fields : collection of str
        Fields that tasks of the study can have.
    """
    name = f"project {project.id} ({printable(project.title, 60)!r})"
    wanted = kinds_for(engine)
    found = [control for control in project.controls if control.type in wanted]
    problems = [_misfit(engine, control) for control in found]
    fits = [control for control, problem in zip(found, problems, strict=True) if problem is None]
    if not fits:
        have = "; ".join(p for p in problems if p) or (
            "it has " + (", ".join(f"{c.type} {c.name!r}" for c in project.controls[:_NAMED]) or "none at all")
        )
        raise InvalidInputError(
            f"the label config of {name} must have one control {' or '.join(wanted)} for {_what(engine)}, but "
            f"{printable(have)}. Change it in Label Studio, or let --create-project TITLE make a project"
        )
    if len(fits) > 1:
        raise InvalidInputError(
            f"the label config of {name} has {len(fits)} controls that could hold the label "
            f"({printable(', '.join(repr(c.name) for c in fits))}): leave one of them"
        )
    if unknown := [field for field in fits[0].shows if field not in fields]:
        raise InvalidInputError(
            f"the label config of {name} shows ${printable(unknown[0], 60)}, which the study does not: it shows "
            f"{_listed(fields)}. Change the config, or make a study that shows that column (--show, --show-text)"
        )
    return fits[0]


def _misfit(engine: StudyEngine, control: Control) -> str | None:
    if control.type != "Choices" or engine.settings.free_labels:
        return None
    assert KINDS[control.type] == "choices"
    here, there = [text_of(c) for c in engine.classes()], [text_of(label) for label in control.labels]
    lacks, more = [c for c in here if c not in there], [c for c in there if c not in here]
    said = [f"lacks {_listed(lacks)}"] if lacks else []
    said += [f"has {_listed(more)} besides"] if more else []
    return f"Choices {control.name!r} {' and '.join(said)}" if said else None


def _what(engine: StudyEngine) -> str:
    if engine.rules.ranges is not None:
        return "the number that labels a row"
    return "its label" if engine.settings.free_labels else f"the classes of the study ({_listed(engine.classes())})"


def _listed(names: Iterable[object]) -> str:
    all_names = [repr(text_of(name)) for name in names]
    more = f" and {len(all_names) - _NAMED} more" if len(all_names) > _NAMED else ""
    return ", ".join(all_names[:_NAMED]) + more
