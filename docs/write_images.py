"""The pictures of the explorer, light and dark: ``python docs/write_images.py``.

They show the demo's model and table in chromium, which must be installed.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from playwright.sync_api import Browser, Page, sync_playwright

from softlearn import SoftLearn
from softlearn.datasets import worlds
from softlearn.demo.tables import lossy
from softlearn.web import explore

# What the address says, what it waits for, and what is done then.
View: TypeAlias = tuple[str, str, Callable[[Page], None] | None]

FOLDER = Path(__file__).with_name("images")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDE, NARROW = {"width": 1360, "height": 760}, {"width": 390, "height": 844}
GIVEN = "?given=car%3Dnone%2C+income%3D20..60"
AGED = "?given=age%3D50..70"
OPEN = "[role=treeitem][aria-expanded=false] > .branch"


def open_branches(page: Page) -> None:
    """Open the first branches of the tree."""
    for _ in range(3):
        page.locator(OPEN).first.click()
        page.wait_for_timeout(300)


def compare_rows(page: Page) -> None:
    """Mark two rows, and look at one with a missing cell."""
    page.locator("tr[data-row] input").nth(2).check()
    page.locator("tr[data-row] input").nth(6).check()
    page.locator("tr[data-row]:has(td.gap)").first.click()


def choose_target(page: Page) -> None:
    """Ask about the number of people."""
    page.select_option("#target", "people")


VIEWS: dict[str, View] = {
    "columns": (GIVEN, ".curve", None),
    "whatif": (f"{GIVEN}#whatif", ".tellers li", choose_target),
    "rows": ("#rows", "#kinds-panel", compare_rows),
    "generate": (f"{GIVEN}#generate", ".data td", None),
    "structure": (f"{AGED}#structure", "[role=treeitem] [role=treeitem]", open_branches),
    "fit": ("#fit", ".compare", None),
}


def main() -> None:
    """Write a picture of each view in both schemes, and one at phone width."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        sys.exit("no chromium is installed: apt-get install chromium")
    table = lossy(worlds.households(), seed=0).table
    explorer = explore(SoftLearn(random_state=0).fit(table).model_, table, title="households")
    FOLDER.mkdir(exist_ok=True)
    options = ["--no-sandbox"] if os.geteuid() == 0 else []  # root has none
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=options)
        for scheme in ("light", "dark"):
            for name, view in VIEWS.items():
                shoot(browser, explorer.url, view, scheme, f"explore-{name}-{scheme}.png")
        phone = VIEWS["columns"]
        shoot(browser, explorer.url, phone, "light", "explore-phone.png")
        browser.close()
    explorer.stop()


def shoot(browser: Browser, url: str, view: View, scheme: str, name: str) -> None:
    """Write one picture; that of the phone is narrow."""
    address, awaited, act = view
    size = NARROW if "phone" in name else WIDE
    context = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce")
    page = context.new_page()
    page.goto(url + address)
    page.wait_for_selector(awaited)
    if act is not None:
        act(page)
    page.mouse.move(0, 0)
    page.evaluate("() => document.activeElement.blur()")
    page.wait_for_timeout(700)
    page.screenshot(path=FOLDER / name)
    context.close()


if __name__ == "__main__":
    main()
