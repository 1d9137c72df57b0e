from ._base import Interval as Interval
from ._bernstein import EmpiricalBernstein as EmpiricalBernstein
from ._clopper_pearson import ClopperPearson as ClopperPearson
from ._hoeffding import Hoeffding as Hoeffding
from ._registry import REGISTRY as REGISTRY
from ._registry import available as available
from ._registry import create as create
