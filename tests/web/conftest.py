"""A browser and an explorer of the demo's world for the tests of the page."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from softlearn import Model, SoftLearn
from softlearn.datasets import worlds
from softlearn.demo.tables import lossy
from softlearn.web import Explorer, explore

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def learnt() -> tuple[Model, Any]:
    """The demo's model, and the table it was learnt from."""
    table = lossy(worlds.households(), seed=0, n_rows=400).table
    return SoftLearn(random_state=0).fit(table).model_, table


@pytest.fixture(scope="session")
def explorer(learnt) -> Iterator[Explorer]:
    model, table = learnt
    running = explore(model, table, title="households", port=0)
    yield running
    running.stop()


@pytest.fixture(scope="module")  # its event loop must have ended before other tests run theirs
def browser() -> Iterator[Any]:
    """Debian's chromium, driven by playwright."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("no chromium is installed: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    no_sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []  # root has none
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=path, args=no_sandbox)
        yield opened
        opened.close()


@pytest.fixture
def page(browser, explorer) -> Iterator[Any]:
    """The explorer in a window of its own; anything that its console says is a failure."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    said: list[str] = []
    opened.on("pageerror", lambda error: said.append(str(error)))
    opened.on("console", lambda message: said.append(message.text))
    opened.set_default_timeout(10_000)
    opened.goto(explorer.url)
    opened.wait_for_selector(".card .level")
    yield opened
    context.close()
    mistakes = [text for text in said if "400 (Bad Request)" not in text]
    assert mistakes == []
