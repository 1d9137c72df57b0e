from ._demo import BUDGET as BUDGET
from ._demo import RUNS as RUNS
from ._demo import STRATEGIES as STRATEGIES
from ._demo import K as K
from ._demo import draw_demo as draw_demo
from ._demo import run_demo as run_demo
