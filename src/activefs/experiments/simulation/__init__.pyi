from ._report import comparison as comparison
from ._report import draw as draw
from ._report import how_sure as how_sure
from ._report import html_report as html_report
from ._report import selection_csv as selection_csv
from ._simulate import simulate as simulate
from ._simulation import RANDOM as RANDOM
from ._simulation import Simulation as Simulation
