from ._criteria import CriterionContract as CriterionContract
from ._discovery import parts_of as parts_of
from ._intervals import IntervalContract as IntervalContract
from ._pools import PoolContract as PoolContract
from ._problems import RandomProblem as RandomProblem
from ._problems import random_problem as random_problem
from ._storages import StorageContract as StorageContract
from ._strategies import StrategyContract as StrategyContract
