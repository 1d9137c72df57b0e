"""What options of a table's columns may be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from activefs.types import Binning

BinningOption = Binning | Literal["none"] | Mapping[str, Binning | Literal["none"]]
BinsOption = int | Mapping[str, int]
