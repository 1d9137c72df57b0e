"""Studies in the browser: pages for annotators, and a REST API."""

from activefs.web._app import create_app
from activefs.web._run import run

__all__ = ["create_app", "run"]
