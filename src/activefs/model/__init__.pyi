from ._assistant import Assistant as Assistant
from ._assistant import last_refit as last_refit
from ._calibration import calibrating_power as calibrating_power
from ._calibration import tempered as tempered
from ._completion import Completion as Completion
from ._completion import class_rates as class_rates
