from ._adjusted_mutual_information import AdjustedMutualInformation as AdjustedMutualInformation
from ._base import Criterion as Criterion
from ._base import delta_per_class as delta_per_class
from ._gini import Gini as Gini
from ._mutual_information import MutualInformation as MutualInformation
from ._registry import REGISTRY as REGISTRY
from ._registry import available as available
from ._registry import create as create
