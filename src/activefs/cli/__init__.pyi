from ._app import app as app
from ._app import main as main
from ._every_command import every_command as every_command
