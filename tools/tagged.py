"""Whether a tag is right for what would be released.

python -m tools.tagged v0.2.0
"""

from __future__ import annotations

import re
import sys

from tools.snippets import ROOT


def wrong(tag: str, version: str, change_log: str) -> str:
    """Say why nothing must be released with this tag; an empty text if nothing is wrong.

    Examples
    --------
    >>> wrong("v0.2.0", "0.2.0", "## 0.2.0 (2026-12-01)")
    ''
    >>> wrong("v0.2.0", "0.2.1", "")
    'the tag v0.2.0 is not v0.2.1, the version of the package'
    >>> wrong("v0.2.0", "0.2.0", "## 0.1.0 (2026-11-16)")
    'CHANGELOG.md has no section on 0.2.0: towncrier build'
    >>> wrong("v0.2.0.dev0", "0.2.0.dev0", "")
    '0.2.0.dev0 is no release'
    """
    if not re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", version):
        return f"{version} is no release"
    if tag != f"v{version}":
        return f"the tag {tag} is not v{version}, the version of the package"
    if not re.search(rf"^## {re.escape(version)} \(", change_log, re.MULTILINE):
        return f"CHANGELOG.md has no section on {version}: towncrier build"
    return ""


def main() -> int:
    """Say what is wrong with the tag that is named."""
    import activefs

    tag = sys.argv[1] if len(sys.argv) == 2 else ""
    said = wrong(tag, activefs.__version__, (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    print(said or f"{tag} it is")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
