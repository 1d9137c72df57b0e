from ._app import app as app
from ._app import main as main
