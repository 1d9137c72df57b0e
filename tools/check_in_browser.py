"""Check in a browser that no page of a built site scrolls sideways as a whole on a phone, and that scripts run.

ACTIVEFS_TEST_CHROMIUM=/usr/bin/chromium python -m tools.check_in_browser build/docs/html
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from playwright.async_api import Browser, BrowserContext, async_playwright

WIDTHS = (390, 375)
"""Of phones, in pixels."""

PAGES_AT_ONCE = 3

WITH_SCRIPTS = ("index.html", "start.html", "gallery_notebook.html", "reference/generated/activefs.Session.html")
"""Where scripts run and must not fail; all others are looked at without them, which is quicker."""

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


async def _failures(browser: Browser, root: Path) -> list[str]:
    """Say which scripts fail, and whether code can be copied."""
    page, found = await browser.new_page(), []
    page.on("pageerror", lambda error: found.append(f"{page.url.removeprefix(root.as_uri())}: a script fails: {error}"))
    for name in WITH_SCRIPTS:
        await page.goto((root / name).as_uri(), wait_until="load")
        if not await page.locator("button.copybtn").count():
            found.append(f"{name}: no button copies code")
    return found


async def problems(folder: Path, chromium: str) -> list[str]:
    """Say what is wrong with pages below a folder, one line each."""
    root = folder.resolve()
    waiting = [path for path in root.rglob("*.html") if "_static" not in path.relative_to(root).parts]
    if not waiting:
        return [f"there are no pages in {folder}"]
    async with async_playwright() as playwright:
        # Chromium refuses to run as root with its sandbox.
        browser = await playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        context = await browser.new_context(java_script_enabled=False)
        found = await asyncio.gather(*(_look(context, waiting, root) for _ in range(PAGES_AT_ONCE)))
        failures = await _failures(browser, root)
        await browser.close()
    return sorted(line for some in (*found, failures) for line in some)


def main() -> int:
    """Print what is wrong with the site in the folder that is named."""
    chromium = os.environ.get("ACTIVEFS_TEST_CHROMIUM")
    if not chromium:
        print("no browser has looked whether pages fit a phone: set ACTIVEFS_TEST_CHROMIUM to the path of Chromium")
        return 0
    found = asyncio.run(problems(Path(sys.argv[1]), chromium))
    print("\n".join([*found, f"{len(found)} problems in the browser"]))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
