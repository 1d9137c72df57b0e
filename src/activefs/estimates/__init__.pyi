from ._assisted import AssistedEstimates as AssistedEstimates
from ._plug_in import Estimates as Estimates
