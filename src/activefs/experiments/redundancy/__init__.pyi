from ._redundancy import RULES as RULES
from ._redundancy import reproduce_redundancy as reproduce_redundancy
