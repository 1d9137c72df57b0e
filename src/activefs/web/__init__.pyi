from ._app import create_app as create_app
from ._hub import create_hub as create_hub
from ._run import run as run
