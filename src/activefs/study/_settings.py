"""What is fixed when a study is made."""

# No annotations from the future: those of the options hold what is declared.
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, cast

from activefs.codec import EXACT, is_written
from activefs.constraints import RULES, Columns, Constraint, Number, Optional, Text, Whole
from activefs.engine import ClassList, classes_from
from activefs.exceptions import InvalidInputError
from activefs.options import FileOptions, Option, Options, SessionOptions, check_options, declared, from_json, to_json
from activefs.study._guidance import Descriptions, Guidance, Instructions, check_described
from activefs.tables import Dialect

MAX_TEXT = 200
_SIZE = re.compile(r"(\d{1,4})\s*[x×]\s*(\d{1,4})")


class ImageSize(Constraint):
    """Height and width of an image."""

    metavar = "HEIGHTxWIDTH"
    refused = ("28", (28,), (0, 5), "axb")

    def __str__(self) -> str:
        return "HEIGHTxWIDTH, like 28x28"

    def value(self, given: Any) -> tuple[int, int]:
        """Read text such as 28x28, or a pair of numbers."""
        if isinstance(given, str):
            match = _SIZE.fullmatch(given.strip())
            given = tuple(map(int, match.groups())) if match else given
        if not isinstance(given, (tuple, list)) or len(given) != 2:
            raise ValueError
        height, width = (int(v) if isinstance(v, int) or hasattr(v, "__index__") else 0 for v in given)
        if height < 1 or width < 1:
            raise ValueError
        return height, width

    def to_json(self, name: str, value: Any) -> Any:
        """Write a list."""
        return list(value)

    def from_json(self, content: Any) -> Any:
        """Read it."""
        return tuple(content)


class Share(Constraint):
    """A part of everything."""

    metavar = "SHARE"
    refused = (-0.1, 1.5, "x", True, None, float("nan"))

    def __str__(self) -> str:
        return "a number from 0 to 1"

    def value(self, given: Any) -> float:
        """Refuse what is no part."""
        if isinstance(given, bool) or not isinstance(given, (int, float)):
            raise TypeError
        if not 0.0 <= given <= 1.0:
            raise ValueError
        return float(given)

    def from_text(self, text: str) -> Any:
        """Read a number."""
        try:
            return float(text)
        except ValueError:
            return text


class ShortText(Text):
    """Text that fits into a line, without control characters."""

    refused: tuple[Any, ...] = (1, "", " ", "x" * (MAX_TEXT + 1), "a\x00b")

    def __str__(self) -> str:
        return f"text of 1 to {MAX_TEXT} printable characters"

    def value(self, given: Any) -> str:
        """Refuse text that is empty, long, or holds characters that no database takes."""
        try:
            return check_text(given, "it")
        except InvalidInputError:
            raise ValueError from None


class StudyOptions(SessionOptions, FileOptions, total=False):
    """Settings of a study that have a default: those of its session and its file, how rows are shown and handed out."""

    id_column: Annotated[
        "str | None",
        Option(None, Optional(Text()), "Column that names the rows; it is no feature.", flag="id"),
    ]
    show: Annotated[
        "Sequence[str] | None",
        Option(
            None, Optional(Columns()), "Columns that annotators see; by default all (of a wide table, the first 60)."
        ),
    ]
    show_image: Annotated[
        "tuple[int, int] | str | None",
        Option(None, Optional(ImageSize()), "Height and width, if the columns are the pixels of an image."),
    ]
    show_text: Annotated[
        "str | None",
        Option(None, Optional(Text()), "Column that is shown as text; it is no feature."),
    ]
    show_media: Annotated[
        "Sequence[str] | None",
        Option(
            None,
            Optional(Columns()),
            "Columns of images, sound or videos, shown beside the cells; they are no features: web addresses, or "
            "names of files below the folder that the server is started with (--media DIR).",
        ),
    ]
    instructions: Annotated[
        "str | Path | Instructions | None",
        Option(
            None,
            Optional(Guidance()),
            "What annotators should know, in Markdown: text, or the Path of a file (a command takes the file); images "
            "below its folder are kept with it.",
        ),
    ]
    class_descriptions: Annotated[
        "Mapping[Any, str] | None",
        Option(None, Optional(Descriptions()), "What a class means, shown beside it.", flag="describe"),
    ]
    lease: Annotated[
        float,
        Option(600.0, Number(above=0, below=365 * 86400 + 1), "Seconds for which a question belongs to one annotator."),
    ]
    hold: Annotated[
        int,
        Option(10, Whole(1, 1000), "Rows that one annotator may hold at a time over the REST API."),
    ]
    overlap: Annotated[
        float,
        Option(0.0, Share(), "Share of rows that a second annotator answers, who does not see the first answer."),
    ]
    title: Annotated["str | None", Option(None, Optional(ShortText()), "Name of the study.")]
    question: Annotated["str | None", Option(None, Optional(ShortText()), "What annotators are asked about a row.")]


class AllStudyOptions(StudyOptions, Options):
    """All settings of a study."""


@dataclass(frozen=True)
class StudySettings:
    """Settings of a study, checked; those of its session can be read as attributes too.

    Attributes
    ----------
    options : mapping
        All settings that `AllStudyOptions` declares; `random_state` is a number.
    data : str or None
        File of the table, if it came from one.
    version : str
        Release of activefs that made the study.
    rules : int
        How columns are read of which the settings say nothing; a study goes on with what it was made with.

    Examples
    --------
    >>> settings = StudySettings.checked({"k": 3, "random_state": 1})
    >>> StudySettings.from_json(settings.to_json()) == settings
    True
    >>> settings.budget is None, settings.seed
    (True, 1)
    """

    options: Mapping[str, Any]
    data: str | None = None
    version: str = ""
    rules: int = RULES

    @classmethod
    def checked(cls, given: Mapping[str, Any], data: str | None = None, version: str = "") -> "StudySettings":
        """Check settings as they are given; everything must be fit to be kept as text.

        Parameters
        ----------
        given : mapping
            Settings by name, those of a :class:`activefs.Session` included; the others have their defaults.
        data : str, optional
            File of the table, if it came from one.
        version : str
            Release of activefs that makes the study.

        Returns
        -------
        StudySettings
            All settings.

        Raises
        ------
        InvalidInputError
            If a value is not accepted; the message says what is.
        TypeError
            If there is no setting of a name, or `k` is missing.
        """
        checked = dict(check_options(given, AllStudyOptions))
        to_json(checked, AllStudyOptions)
        options = cast("AllStudyOptions", checked)
        for label in options["classes"] or ():
            check_label(label)
        classes = classes_from(options)
        check_described(options["class_descriptions"], classes.values if classes.fixed else None)
        return cls(checked, data, version)

    @property
    def seed(self) -> int:
        """Seed of everything random."""
        return int(self.options["random_state"])

    @property
    def title(self) -> str:
        """Name of the study."""
        return self.options["title"] or "study"

    @property
    def question(self) -> str:
        """What annotators are asked."""
        if self.options["question"]:
            return str(self.options["question"])
        return (
            "Which class is this row?" if self.options["label_edges"] is None else "Which number belongs to this row?"
        )

    @property
    def free_labels(self) -> bool:
        """Whether any label is welcome, because no classes are fixed."""
        return self.options["classes"] is None and self.options["label_edges"] is None

    @property
    def dialect(self) -> Dialect:
        """How the file of the table is written."""
        return Dialect.of(self.options)

    def read_with(self, dialect: Dialect) -> "StudySettings":
        """Return the same settings for a file that is written in another way.

        Parameters
        ----------
        dialect : Dialect
            Separator, decimal sign, encoding and sheet.
        """
        return replace(self, options={**self.options, **asdict(dialect)})

    @property
    def session_options(self) -> Options:
        """The settings of the session alone."""
        return cast("Options", {name: self.options[name] for name in declared(Options)})

    def __getattr__(self, name: str) -> Any:
        options = self.__dict__.get("options", {})
        if name in options:
            return options[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def to_json(self) -> dict[str, Any]:
        """Write the settings as what JSON can hold."""
        written = to_json(self.options, AllStudyOptions)
        written["seed"] = written.pop("random_state")
        return {**written, "data": self.data, "version": self.version, "rules": self.rules}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "StudySettings":
        """Read what :meth:`to_json` wrote; what a later release may have added is left out.

        Parameters
        ----------
        content : mapping
            Settings by name, as the header of a study has them.
        """
        # They were checked when the study was made; to check names of parts again would load all parts.
        defaults = {name: option.default for name, option in declared(AllStudyOptions).items()}
        given = from_json({**content, "random_state": content["seed"]}, AllStudyOptions)
        given["classes"] = _joined(given.get("classes"))
        given.setdefault("decimal", ".")  # releases that did not keep it knew no decimal commas
        # Release 0.1 had one way of reading columns, and kept no number for it.
        return cls({**defaults, **given}, content.get("data"), content.get("version", ""), content.get("rules", 1))


def _joined(classes: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
    """Join classes that are written alike, which release 0.1 kept apart; if one is left, labels are free."""
    found = ClassList()
    for label in classes or ():
        found.code(label)
    return found.values if len(found.values) > 1 else None


def check_label(label: Any) -> None:
    """Refuse a label that cannot be kept as it is: anything but short text, numbers and booleans."""
    if isinstance(label, str):
        check_text(label, "a label")
    elif (
        not isinstance(label, (bool, int, float))
        or not isfinite(label)
        or (isinstance(label, int) and abs(label) > EXACT)
    ):
        raise InvalidInputError(f"a label in a study must be text, a number or a boolean, got {label!r}")


def check_text(text: Any, what: str) -> str:
    """Refuse text that is empty, long, or holds characters that no database takes.

    Examples
    --------
    >>> check_text("ill", "a label")
    'ill'
    """
    if not isinstance(text, str) or not text.strip().strip("\u200c\u200d"):
        raise InvalidInputError(f"{what} must be text that is not empty, got {text!r}")
    if len(text) > MAX_TEXT:
        raise InvalidInputError(f"{what} must have at most {MAX_TEXT} characters, got {len(text)}")
    if not is_written(text):
        raise InvalidInputError(f"{what} must not hold control characters, got {text!r}")
    return text
