"""Errors of activefs: one root, few children.

Every message says what happened, what was received, and what to do about it.
"""

__all__ = [
    "ActiveFSError",
    "ClusterError",
    "DataSetError",
    "DoubtfulColumnWarning",
    "InvalidInputError",
    "InvalidLabelError",
    "LeftOutWarning",
    "MissingExtraError",
    "NotAllowedError",
    "NothingToAsk",
    "NothingToUndo",
    "NumericLabelsWarning",
    "OneClassWarning",
    "OracleError",
    "StaleQuestionError",
    "StorageError",
    "StudyMismatchError",
]


class ActiveFSError(Exception):
    """Root of all errors that activefs raises on purpose."""


class InvalidInputError(ActiveFSError, ValueError):
    """An argument, a table or a row index is not acceptable; nothing was changed."""


class InvalidLabelError(InvalidInputError):
    """A label is outside the classes, or contradicts the label that the row already has."""


class DataSetError(ActiveFSError):
    """A file of one of the paper's data sets is missing, damaged, or not what was expected."""


class MissingExtraError(ActiveFSError, ImportError):
    """A part of activefs was asked for whose optional packages are not installed; the message names the extra."""


class ClusterError(ActiveFSError):
    """A Dask cluster does not answer, or has lost what it was given; no label is lost."""


class NothingToAsk(ActiveFSError):  # noqa: N818 - a state of the session, not a fault
    """There is no further question; the message says why (certified, budget used, no row left)."""


class NothingToUndo(ActiveFSError):  # noqa: N818 - a state of the session, not a fault
    """`undo` was called although no label is there to take back."""


class OracleError(ActiveFSError):
    """The oracle raised while it was asked for a label; the labels obtained before it are kept."""


class StudyMismatchError(InvalidInputError):
    """A study is opened with a table that is not the one it was made with; the message says what differs."""


class StaleQuestionError(ActiveFSError):
    """The question is no longer open for this annotator (lease expired, answered already); ask again."""


class NotAllowedError(ActiveFSError):
    """The answer belongs to somebody else, or only the owner of the study may do this."""


class StorageError(ActiveFSError):
    """The database of a study cannot be reached, read or written; nothing was acknowledged."""


class LeftOutWarning(UserWarning):
    """Columns were left out because nearly every row has a value of its own; the message says how to keep them."""


class DoubtfulColumnWarning(UserWarning):
    """A column of a file may have been meant otherwise than it was read; the message names a value, and what to do."""


class OneClassWarning(UserWarning):
    """All labels obtained so far are of one class, so the ranking of features is arbitrary."""


class NumericLabelsWarning(UserWarning):
    """All labels so far, or most of those in `y`, are different whole numbers: rather measurements than classes."""
