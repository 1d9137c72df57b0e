from ._plans import PAPER_KS as PAPER_KS
from ._plans import PLANS as PLANS
from ._plans import Plan as Plan
from ._plans import Settings as Settings
from ._reproduce import Outcome as Outcome
from ._reproduce import reproduce as reproduce
