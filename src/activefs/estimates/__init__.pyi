from ._assisted import AssistedEstimates as AssistedEstimates
from ._chance import Chance as Chance
from ._control_variates import ControlVariates as ControlVariates
from ._control_variates import Epoch as Epoch
from ._draw_log import DrawLog as DrawLog
from ._guaranteed import GuaranteedBounds as GuaranteedBounds
from ._plug_in import Estimates as Estimates
