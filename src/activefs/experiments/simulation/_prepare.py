"""From a table with known labels to what runs need of it: encoded features, hidden labels, and the truth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from activefs.criteria import Criterion
from activefs.engine import ClassList, RangeList, classes_from
from activefs.estimates import Estimates
from activefs.exceptions import InvalidInputError, InvalidLabelError
from activefs.experiments.simulation._open import Progress, StreamedTable, Trial
from activefs.options import Options, of_table
from activefs.pool import Cluster, Pool, column_values, read_pool
from activefs.runs import CountedPool, HiddenLabels, LabelledPool, count_classes
from activefs.streams import ClassColumn, LabelCoder, LabelledRows, RowIds, find_labels
from activefs.tables import (
    MAX_VALUES,
    LabelledTable,
    check_classes,
    check_different,
    check_different_labels,
    plain_values,
)
from activefs.types import Ints


@dataclass(frozen=True, eq=False)
class Prepared:
    """What runs need.

    Attributes
    ----------
    hidden : LabelledPool or CountedPool
        The encoded table and its labels.
    estimates : Estimates
        What all labels say.
    classes : ClassList
        The classes.
    class_counts : array of int
        Rows of each class.
    options : dict
        Settings of sessions on the pool.
    unlabelled : int
        Rows that were left out.
    labels_of : callable
        Returns the labels of some rows as the table has them.
    all_labels : callable or None
        Returns the class of every row by its name; None if they are too many to be in memory.
    """

    hidden: HiddenLabels
    estimates: Estimates
    classes: ClassList
    class_counts: Ints
    options: dict[str, Any]
    unlabelled: int
    labels_of: Callable[[Sequence[int]], list[Any]]
    all_labels: Callable[[], list[Any]] | None

    @property
    def pool(self) -> Pool:
        """The encoded table."""
        return self.hidden.pool

    def names_of(self, rows: Sequence[int]) -> Sequence[object]:
        """Name some rows."""
        ids = self.pool.row_ids
        if isinstance(ids, RowIds):
            return ids.of(rows)
        return list(rows) if ids is None else [ids[row] for row in rows]


def prepare(
    table: Trial,
    options: Mapping[str, Any],
    criterion: Criterion,
    check: Callable[[Pool, Mapping[str, Any]], None],
    progress: Progress | None = None,
    cluster: Cluster | None = None,
) -> Prepared:
    """Encode a table and count what its labels say.

    Parameters
    ----------
    table : LabelledTable or StreamedTable
        The table.
    options : mapping
        Checked settings of sessions.
    criterion : Criterion
        The quality measure.
    check : callable
        Is given the pool and the settings as soon as they are known, and refuses them if they do not fit.
    progress : callable, optional
        Is told what is done, and which share of it.
    cluster : Cluster, optional
        Whose workers keep the encoded table.
    """
    if isinstance(table, StreamedTable):
        return _streamed(table, options, criterion, check, progress, cluster)
    return _in_memory(table, options, criterion, check, cluster)


def _in_memory(
    table: LabelledTable,
    options: Mapping[str, Any],
    criterion: Criterion,
    check: Callable[[Pool, Mapping[str, Any]], None],
    cluster: Cluster | None,
) -> Prepared:
    pool, rest = _encode(
        table.features,
        options,
        lambda name: _column(table, name),
        names=table.names,
        ids=table.ids,
        cluster=cluster,
    )
    check(pool, rest)
    classes = classes_from(cast("Options", rest))
    if not classes.fixed:
        check_classes(table)
    _check_fit(classes, dict.fromkeys(table.labels), table.dialect.decimal)
    y = np.array([classes.code(label) for label in table.labels], dtype=np.int64)
    _, used = np.unique(y, return_inverse=True)
    estimates = Estimates.from_counts(pool, count_classes(pool, used), criterion=criterion)
    return Prepared(
        hidden=LabelledPool(pool, y, estimates.value.copy(), classes.values),
        estimates=estimates,
        classes=classes,
        class_counts=np.bincount(y, minlength=len(classes.values)),
        options=rest,
        unlabelled=table.unlabelled,
        labels_of=lambda rows: [table.labels[row] for row in rows],
        all_labels=lambda: [classes.values[code] for code in y],
    )


def _streamed(
    table: StreamedTable,
    options: Mapping[str, Any],
    criterion: Criterion,
    check: Callable[[Pool, Mapping[str, Any]], None],
    progress: Progress | None,
    cluster: Cluster | None,
) -> Prepared:
    """Encode the classes with the features, as the last line: then rows are counted, and never listed."""
    label, classes = table.label, classes_from(cast("Options", options))
    edges = classes.edges if isinstance(classes, RangeList) else None
    found = find_labels(table.source, label, edges, progress)
    if found.too_many:
        raise InvalidInputError(
            f"the label {label!r} has more than {MAX_VALUES:,} different values, while labels must be classes that "
            "rows share: name another column, or make classes of a number with label_edges=[...]"
        )
    if edges is None:
        check_different(found.counts, label)
    if not classes.fixed:
        check_different_labels(found.counts, found.n_rows, label)
    _check_fit(classes, found.counts, table.dialect.decimal)
    rows = LabelledRows(table.source, label, found.by_piece) if found.unlabelled else table.source
    coder = LabelCoder({value: classes.code(value) for value in found.counts}, edges)
    ids = None if table.id_column is None else RowIds(rows, table.id_column, progress)
    features = ClassColumn(rows, label, coder, [] if table.id_column is None else [table.id_column])
    told = {**options, "categorical": (*options["categorical"], label)}
    whole, rest = _encode(
        features, told, lambda name: column_values(rows, name), ids=ids, progress=progress, cluster=cluster
    )
    pool = whole.without_last()
    check(pool, rest)
    hidden = CountedPool.of(whole, classes.values, criterion=criterion)
    return Prepared(
        hidden=hidden,
        estimates=hidden.estimates,
        classes=classes,
        class_counts=hidden.class_counts,
        options=rest,
        unlabelled=found.unlabelled,
        labels_of=lambda asked: plain_values(rows.take(asked, [label]).column(0), label),
        all_labels=None,
    )


def _encode(
    features: Any,
    options: Mapping[str, Any],
    column: Callable[[str], Any],
    *,
    names: Sequence[str] | None = None,
    ids: Iterable[Any] | None = None,
    progress: Progress | None = None,
    cluster: Cluster | None = None,
) -> tuple[Pool, dict[str, Any]]:
    """Encode features; the options that come back are those of sessions on the pool."""
    reading = of_table(options)
    rest = {name: value for name, value in options.items() if name not in (*reading, "random_state")}
    if isinstance(rest["cost"], str):
        reading["ignore"] = (*reading["ignore"], rest["cost"])
        rest["cost"] = column(rest["cost"])
    return read_pool(features, names=names, row_ids=ids, progress=progress, cluster=cluster, **reading), rest


def _column(table: LabelledTable, name: str) -> Any:
    if table.names is None or name not in table.names:
        return column_values(table.features, name)
    column = table.features[:, [table.names.index(name)]]
    return np.ravel(column.toarray() if hasattr(column, "toarray") else column)


def _check_fit(classes: ClassList, labels: Iterable[Any], decimal: str | None) -> None:
    """Let classes turn up in the order of the different labels; refuse labels that are none of a fixed list."""
    used = set()
    for label in labels:
        try:
            used.add(classes.code(label))
        except InvalidLabelError as error:
            ranges = isinstance(classes, RangeList)
            what = "no numbers" if ranges else "none of the classes"
            commas = ranges and "," in str(label) and decimal == "."
            advice = "; if the file has decimal commas, say so with decimal=..." if commas else ""
            raise InvalidLabelError(f"the table has labels that are {what}: {error}{advice}") from None
    if len(used) < 2:
        only = f"are of the class {classes.values[used.pop()]!r}" if used else "are missing"
        raise InvalidInputError(f"all labels {only}: there is nothing to tell apart")
