"""Data frames of whichever library is installed."""

from __future__ import annotations

from typing import Any

from activefs.exceptions import MissingExtraError


def frame_library() -> Any:
    """Return the class of data frames: that of pandas, or of polars if pandas is not installed."""
    try:
        import pandas

        return pandas.DataFrame
    except ImportError:
        pass
    try:
        import polars

        return polars.DataFrame
    except ImportError:
        raise MissingExtraError(
            "a data frame needs pandas or polars, and neither is installed: pip install pandas"
        ) from None
