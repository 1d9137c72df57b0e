from ._choices import STRATEGIES as STRATEGIES
from ._choices import choices as choices
from ._leaderboard import Outcome as Outcome
from ._leaderboard import leaderboard as leaderboard
from ._sets import NAMES as NAMES
from ._sets import named as named
from ._settings import Settings as Settings
