"""Studies in the browser: pages for annotators, and a REST API."""

from typing import Any

import lazy_loader

from activefs.exceptions import MissingExtraError

_found, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    try:
        return _found(name)
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"the browser part needs packages that are not installed ({error.name}): run pip install 'activefs[web]'"
        ) from error
