"""Check in a browser that no page of a built site scrolls sideways as a whole on a phone; needs Chromium.

ACTIVEFS_TEST_CHROMIUM=/usr/bin/chromium python -m tools.check_widths build/docs/html
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from playwright.async_api import BrowserContext, async_playwright

WIDTHS = (390, 375)
"""Of phones, in pixels."""

PAGES_AT_ONCE = 3

# Whatever contains a whole page. Code, tables and formulas in it scroll inside themselves; a pixel may be rounding.
WIDER = """() => {
  const whole = [document.documentElement, document.body, ...document.querySelectorAll(
    ".bd-container, .bd-container__inner, .bd-main, .bd-content, .bd-article-container, .bd-article")];
  return Math.max(...whole.map(box => box.scrollWidth - box.clientWidth));
}"""


async def _look(context: BrowserContext, waiting: list[Path], root: Path) -> list[str]:
    """Look at one page after another until none is waiting, and say which are too wide."""
    page, found = await context.new_page(), []
    while waiting:
        path = waiting.pop()
        await page.goto(path.as_uri(), wait_until="load")
        for width in WIDTHS:
            await page.set_viewport_size({"width": width, "height": 800})
            if (excess := await page.evaluate(WIDER)) > 1:
                found.append(f"{path.relative_to(root).as_posix()}: {excess} pixels too wide for a page of {width}")
    return found


async def problems(folder: Path, chromium: str) -> list[str]:
    """Say which pages below a folder scroll sideways, one line each."""
    root = folder.resolve()
    waiting = [path for path in root.rglob("*.html") if "_static" not in path.relative_to(root).parts]
    if not waiting:
        return [f"there are no pages in {folder}"]
    async with async_playwright() as playwright:
        # Chromium refuses to run as root with its sandbox.
        browser = await playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        context = await browser.new_context(java_script_enabled=False)
        found = await asyncio.gather(*(_look(context, waiting, root) for _ in range(PAGES_AT_ONCE)))
        await browser.close()
    return sorted(line for some in found for line in some)


def main() -> int:
    """Print which pages of the site in the folder that is named are too wide."""
    chromium = os.environ.get("ACTIVEFS_TEST_CHROMIUM")
    if not chromium:
        print("nobody has looked whether pages fit a phone: set ACTIVEFS_TEST_CHROMIUM to the path of Chromium")
        return 0
    found = asyncio.run(problems(Path(sys.argv[1]), chromium))
    print("\n".join([*found, f"{len(found)} pages too wide for a phone"]))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
