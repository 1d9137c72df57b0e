from ._pictures import BLUE as BLUE
from ._pictures import GREY as GREY
from ._pictures import ORANGE as ORANGE
from ._pictures import png as png
from ._ranking import draw_ranking as draw_ranking
from ._templates import render as render
from ._words import CriterionWords as CriterionWords
from ._words import words_for as words_for
