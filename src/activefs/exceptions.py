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
    """Root of all errors that activefs raises on purpose.

    Whoever catches it has all of them.

    Examples
    --------
    >>> from activefs import Session
    >>> try:
    ...     Session([[0, 1], [1, 0]], k=1, strategy="best")
    ... except ActiveFSError as error:
    ...     print(error)
    unknown strategy 'best'; there are: activeml, afs, ...
    """


class InvalidInputError(ActiveFSError, ValueError):
    """An argument, a table or a row index is not acceptable; nothing was changed.

    The message says what was received, and what is accepted. It is a ValueError, too.
    """


class InvalidLabelError(InvalidInputError):
    """A label is outside the classes, or contradicts the label that the row already has.

    Raised by :meth:`activefs.Session.tell` and :meth:`activefs.Study.tell`, and by imports; nothing was changed. If the
    new label is right, :meth:`activefs.Session.correct` replaces the old one.
    """


class DataSetError(ActiveFSError):
    """A file of one of the paper's data sets is missing, damaged, or not what was expected.

    Raised by :func:`activefs.datasets.load` and :func:`activefs.datasets.fetch`; the message says where to put the
    file, or which one to delete.
    """


class MissingExtraError(ActiveFSError, ImportError):
    """A part of activefs was asked for whose optional packages are not installed; the message names the extra.

    It is an ImportError, too. Install what the message says, such as ``pip install 'activefs[web]'``.
    """


class ClusterError(ActiveFSError):
    """A Dask cluster does not answer, or has lost what it was given; no label is lost.

    Start a scheduler or workers, and ask again; of a study, open it again.
    """


class NothingToAsk(ActiveFSError):  # noqa: N818 - a state of the session, not a fault
    """There is no further question; the message says why (certified, budget used, no row left).

    Raised by :meth:`activefs.Session.ask` and :meth:`activefs.Study.ask`; `finished` says so before. While rows are
    pending, tell or release them: there may be questions again.
    """


class NothingToUndo(ActiveFSError):  # noqa: N818 - a state of the session, not a fault
    """`undo` was called although no label is there to take back."""


class OracleError(ActiveFSError):
    """The oracle raised while it was asked for a label; the labels obtained before it are kept.

    Raised by :meth:`activefs.ActiveFeatureSelector.fit`, with the oracle's own error as its cause. To go on from the
    labels that there are, call it again with ``known=dict(zip(selector.queried_indices_, selector.queried_labels_))``.
    """


class StudyMismatchError(InvalidInputError):
    """A study is opened with a table that is not the one it was made with; the message says what differs.

    Raised by :meth:`activefs.Study.open`: give the table of the study, unchanged, or make a new study and import the
    labels.
    """


class StaleQuestionError(ActiveFSError):
    """The question is no longer open for this annotator (lease expired, answered already); ask again.

    Raised by :meth:`activefs.Study.tell` and by the server, if somebody else is at the row, or was faster. The answer
    was not kept.
    """


class NotAllowedError(ActiveFSError):
    """The answer belongs to somebody else, or only the owner of the study may do this.

    Raised for annotators of a study, and for everybody while it is archived: its owner can restore it.
    """


class StorageError(ActiveFSError):
    """The database of a study cannot be reached, read or written; nothing was acknowledged.

    What was told and not acknowledged may be told again: the same label again changes nothing.
    """


class LeftOutWarning(UserWarning):
    """Columns were left out because nearly every row has a value of its own; the message says how to keep them.

    Given by :class:`activefs.Session`, :meth:`activefs.Pool.from_table` and everything that reads a table. `ignore`
    names columns that are no features, and `binning` or `categorical` those that are: then nothing is said.
    """


class DoubtfulColumnWarning(UserWarning):
    """A column of a file may have been meant otherwise than it was read; the message names a value, and what to do."""


class OneClassWarning(UserWarning):
    """All labels obtained so far are of one class, so the ranking of features is arbitrary.

    Given by :meth:`activefs.Session.selection` and :meth:`activefs.Study.selection`, also if there is no label yet. It
    goes away with the first label of another class.
    """


class NumericLabelsWarning(UserWarning):
    """All labels so far, or most of those in `y`, are different whole numbers: rather measurements than classes.

    If they are measurements, `label_edges` makes classes of them; if they are classes, `classes` names them.
    """
