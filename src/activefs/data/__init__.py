"""Tables in, codes out: readers of tables, binning, the paper's data sets."""

from activefs.data._dataset import Dataset, DatasetInfo
from activefs.data._sets import DATA_SETS, available, fetch, load

__all__ = ["DATA_SETS", "Dataset", "DatasetInfo", "available", "fetch", "load"]
