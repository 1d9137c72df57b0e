from . import criteria as criteria
from . import exceptions as exceptions
from . import intervals as intervals
from . import redundancy as redundancy
from . import strategies as strategies
from .pool import Pool as Pool
from .selection import Selection as Selection
from .selector import ActiveFeatureSelector as ActiveFeatureSelector
from .session import Session as Session
from .study import Study as Study

__version__: str
