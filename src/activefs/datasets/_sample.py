"""A table to try things on, which comes with the install."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


def sample_table() -> pa.Table:
    """Give a medical table as people have them: an id, thirty measurements, and what somebody had to find out.

    These are the 569 patients of the data set *Breast Cancer Wisconsin (Diagnostic)* (Street, Wolberg and Mangasarian,
    1993; CC BY 4.0), of whom cells of a lump in the breast were looked at under the microscope. It comes with
    scikit-learn. `diagnosis` is 'benign' or 'malignant'; `patient` is a name that we gave each row.

    Returns
    -------
    pyarrow.Table
        569 rows; the columns `patient`, thirty measurements, and `diagnosis`.

    Examples
    --------
    >>> table = sample_table()
    >>> table.num_rows, table.column_names[:3], table.column_names[-1]
    (569, ['patient', 'mean_radius', 'mean_texture'], 'diagnosis')
    """
    import pyarrow as pa
    from sklearn.datasets import load_breast_cancer

    found = load_breast_cancer()
    names = [str(name).replace(" ", "_") for name in found.feature_names]
    return pa.table(
        {
            "patient": [f"P{i:03}" for i in range(1, len(found.data) + 1)],
            **{name: found.data[:, j] for j, name in enumerate(names)},
            "diagnosis": [str(found.target_names[label]) for label in found.target],
        }
    )
