from ._items import RuleItem as RuleItem
from ._items import RuleQuality as RuleQuality
from ._report import RuleTable as RuleTable
from ._report import summary as summary
from ._reproduce import RULES as RULES
from ._reproduce import RedundancyRun as RedundancyRun
from ._reproduce import reproduce_redundancy as reproduce_redundancy
