from ._app import create_app as create_app
from ._run import run as run
