"""What is fixed when a study is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from activefs.exceptions import InvalidInputError
from activefs.strategies import RECOMMENDED

MAX_TEXT = 200


@dataclass(frozen=True)
class Settings:
    """Settings of a study: those of its session, and how rows are shown and handed out.

    Attributes
    ----------
    k, budget, strategy, strategy_params, estimator, stop_when_gap_below, delta, criterion, redundancy,\
 cost, classes, missing, binning, bins, ignore, when_certified
        As in :class:`activefs.Session`; parts by their names, the cost by its column.
    seed : int
        Seed of everything random.
    id_column : str or None
        Column that names the rows.
    show : tuple of str or None
        Columns that annotators see; None: all of them.
    show_image : (int, int) or None
        Height and width, if the columns are the pixels of an image.
    show_text : str or None
        Column that is shown as text.
    lease : float
        Seconds for which a question belongs to one annotator.
    title, question : str
        Name of the study, and what annotators are asked.
    data : str or None
        File of the table, if it came from one.
    version : str
        Release of activefs that made the study.

    Examples
    --------
    >>> Settings.from_json(Settings(k=3, seed=1).to_json()) == Settings(k=3, seed=1)
    True
    """

    k: int
    seed: int
    budget: float | None = None
    strategy: str = RECOMMENDED
    strategy_params: Mapping[str, Any] = field(default_factory=dict)
    estimator: str | None = None
    stop_when_gap_below: float | None = None
    delta: float = 0.05
    criterion: str = "mutual_information"
    redundancy: str = "none"
    cost: str | None = None
    classes: tuple[Any, ...] | None = None
    missing: str = "error"
    binning: Any = "kmeans"
    bins: Any = 10
    ignore: tuple[str | int, ...] = ()
    when_certified: str = "stop"
    id_column: str | None = None
    show: tuple[str, ...] | None = None
    show_image: tuple[int, int] | None = None
    show_text: str | None = None
    lease: float = 600.0
    title: str = "study"
    question: str = "Which class is this row?"
    data: str | None = None
    version: str = ""

    def __post_init__(self) -> None:
        number = isinstance(self.lease, (int, float)) and not isinstance(self.lease, bool)
        if not number or not 0 < self.lease <= 365 * 86400:
            raise InvalidInputError(
                f"lease must be a number of seconds above zero (a year at most), got {self.lease!r}"
            )
        for name in ("strategy", "criterion", "redundancy"):
            if not isinstance(getattr(self, name), str):
                raise InvalidInputError(
                    f"{name} must be given by name in a study, which keeps its settings as text; "
                    f"got {getattr(self, name)!r}"
                )
        if self.cost is not None and not isinstance(self.cost, str):
            raise InvalidInputError("cost must be the name of a column of the table in a study")
        for label in self.classes or ():
            check_label(label)
        for name in ("title", "question"):
            check_text(getattr(self, name), name)

    def to_json(self) -> dict[str, Any]:
        """Write the settings as what JSON can hold."""
        return asdict(self)

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Settings:
        """Read them; what a later release may have added is left out."""
        known = {f.name for f in fields(cls)}
        values = {name: value for name, value in content.items() if name in known}
        for name in ("classes", "ignore", "show", "show_image"):
            if values.get(name) is not None:
                values[name] = tuple(values[name])
        return cls(**values)


def check_label(label: Any) -> None:
    """Refuse a label that cannot be kept as it is: anything but short text, numbers and booleans."""
    if isinstance(label, str):
        check_text(label, "a label")
    elif not isinstance(label, (bool, int, float)) or label != label or abs(label) > 2**53:
        raise InvalidInputError(f"a label in a study must be text, a number or a boolean, got {label!r}")


def check_text(text: Any, what: str) -> str:
    """Refuse text that is empty, long, or holds characters that no database takes.

    Examples
    --------
    >>> check_text("ill", "a label")
    'ill'
    """
    if not isinstance(text, str) or not text.strip():
        raise InvalidInputError(f"{what} must be text that is not empty, got {text!r}")
    if len(text) > MAX_TEXT:
        raise InvalidInputError(f"{what} must have at most {MAX_TEXT} characters, got {len(text)}")
    if not text.isprintable():
        raise InvalidInputError(f"{what} must not hold control characters, got {text!r}")
    return text
