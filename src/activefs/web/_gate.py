"""Who gets in, to a study or to a server of several: people with tokens, and browsers that are signed in."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path

from activefs.storages import Storage
from activefs.web._door import Door


@dataclass(frozen=True)
class Gate:
    """The people of a study, or the owners of a server.

    Attributes
    ----------
    storage : Storage
        Where people and sign-ins are kept.
    created : datetime
        When that was made.
    local_only : bool
        Whether the server listens on this machine only: then, as long as nobody has a token, none is needed.
    door : Door
        The way in as long as nobody has a token.
    """

    storage: Storage
    created: datetime
    local_only: bool
    door: Door = field(default_factory=Door)

    @property
    def is_open(self) -> bool:
        """Whether nobody has a token yet, so that the address of the terminal is the way in."""
        return self.local_only and not self.storage.annotators()

    @cached_property
    def cookie(self) -> str:
        """Name of the cookie: browsers send the cookies of a host to all of its ports.

        It is the same after a restart, and another one for a copy of the study elsewhere.
        """
        path = getattr(self.storage, "path", None)
        place = str(path.resolve()) if isinstance(path, Path) else self.storage.place
        said = f"{self.created.isoformat()} {place}"
        return f"activefs-{hashlib.sha256(said.encode('utf-8', 'replace')).hexdigest()[:12]}"
