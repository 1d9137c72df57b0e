from ._dataset import Dataset as Dataset
from ._dataset import DatasetInfo as DatasetInfo
from ._quantise import QUANTISER_VERSION as QUANTISER_VERSION
from ._sets import DATA_SETS as DATA_SETS
from ._sets import available as available
from ._sets import fetch as fetch
from ._sets import folders as folders
from ._sets import load as load
