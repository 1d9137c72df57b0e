from ._assisted import AssistedEstimates as AssistedEstimates
from ._chance import Chance as Chance
from ._plug_in import Estimates as Estimates
