"""The page in a real browser: what is clicked, dragged and typed gives the answers of Python."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

from softlearn.conditions import parse_conditions
from softlearn.web import explore
from web.explorers import SCRIPT, nasty

PRECISE = 1e-6


def given_in(page) -> str:
    return parse_qs(urlsplit(page.url).query).get("given", [""])[0]


def settled(page, text: str) -> None:
    """Wait until the address has the evidence."""
    page.wait_for_function(
        "text => (new URLSearchParams(location.search).get('given') ?? '') === text", arg=text
    )


def must_agree(page, model) -> None:
    """Compare every number that the cards hold with Python's answers."""
    said = parse_conditions(given_in(page), model.schema)
    compared = 0
    for name in model.schema.names:
        card = page.locator(f'.card[data-column="{name}"]')
        if model.schema[name].is_discrete:
            expected = model.distribution(name, said)
            for level, probability in expected.items():
                shown = str(level).lower() if isinstance(level, bool) else str(level)
                bar = card.locator(f'[data-level="{shown}"]')
                assert abs(float(bar.get_attribute("data-probability")) - probability) < PRECISE
                compared += 1
        elif not isinstance(said.get(name), int | float):
            expected, canvas = model.distribution(name, said), card.locator(".canvas")
            mean = float(canvas.get_attribute("data-mean"))
            quantiles = list(map(float, canvas.get_attribute("data-quantiles").split()))
            assert mean == pytest.approx(expected.mean, rel=PRECISE)
            levels = expected.quantile([0.05, 0.25, 0.5, 0.75, 0.95])
            np.testing.assert_allclose(quantiles, levels, rtol=PRECISE)
            compared += 1
    assert compared >= len(model.schema.names)


def test_a_clicked_level_moves_all_other_columns(page, learnt):
    model, _ = learnt
    must_agree(page, model)
    page.click('.card[data-column="car"] [data-level="none"]')
    settled(page, "car=none")
    must_agree(page, model)
    assert page.locator('.card[data-column="car"] [aria-pressed="true"]').count() == 1
    shown = page.inner_text("#probability")
    assert shown == f"{100 * model.probability({'car': 'none'}):.0f} %"


def test_shift_adds_a_level_and_undo_goes_back(page, learnt):
    model, _ = learnt
    page.click('.card[data-column="place"] [data-level="town"]')
    settled(page, "place=town")
    page.click('.card[data-column="place"] [data-level="city"]', modifiers=["Shift"])
    settled(page, "place in {city, town}")
    must_agree(page, model)
    page.click("text=Undo")
    settled(page, "place=town")
    page.click("text=Undo")
    settled(page, "")
    must_agree(page, model)


def test_a_dragged_interval_becomes_evidence(page, learnt):
    model, _ = learnt
    box = page.locator('.card[data-column="age"] .canvas').bounding_box()
    y = box["y"] + 40
    page.mouse.move(box["x"] + 0.25 * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.4 * box["width"], y, steps=5)
    page.mouse.move(box["x"] + 0.5 * box["width"], y, steps=5)
    page.mouse.up()
    page.wait_for_function("() => location.search.includes('age')")
    low, high = map(float, re.fullmatch(r"age=([\d.]+)\.\.([\d.]+)", given_in(page)).groups())
    assert 17 < low < high < 93
    must_agree(page, model)
    assert page.locator('.card[data-column="age"] .region').count() == 1


def test_typed_values_and_conditions_are_read_as_on_the_command_line(page, learnt):
    model, _ = learnt
    field = page.locator('.card[data-column="income"] input')
    field.fill("20..40")
    field.press("Enter")
    settled(page, "income=20..40")
    page.fill("#condition", "people>=2, owns=yes")
    page.press("#condition", "Enter")
    settled(page, "income=20..40, people=2.., owns=true")
    must_agree(page, model)
    page.fill("#condition", "cra=none")
    page.press("#condition", "Enter")
    page.wait_for_selector("#mistake:not([hidden])")
    assert "there is no column 'cra'; did you mean 'car'?" in page.inner_text("#mistake")
    assert given_in(page) == "income=20..40, people=2.., owns=true"


def test_the_address_brings_the_evidence_back(page, learnt, explorer):
    model, _ = learnt
    page.goto(explorer.url + "?given=age%3E%3D60%2C+car%3Dnone")
    page.wait_for_selector(".chip")
    must_agree(page, model)
    page.reload()
    page.wait_for_selector(".chip >> nth=1")
    must_agree(page, model)
    page.click(".chip button >> nth=0")
    settled(page, "car=none")
    page.go_back()
    page.wait_for_function("() => document.querySelectorAll('.chip').length === 2")
    page.click("text=Clear")
    settled(page, "")
    assert page.locator(".chip").count() == 0


def test_an_odd_row_is_explained_and_filled(page, learnt):
    model, table = learnt
    page.click("#views >> text=Rows")
    page.wait_for_selector("tr[data-row]")
    scores = model.score_samples(table)
    first = int(page.locator("tr[data-row]").first.get_attribute("data-row"))
    assert first == int(np.argmin(scores))
    gap = page.locator("tr[data-row]:has(td.gap)").first
    gap.click()
    row = int(gap.get_attribute("data-row"))
    page.wait_for_selector(f"#row-panel h2:text('Row {row}')")
    page.wait_for_selector("#row-panel .filled")
    filled = model.impute(table.iloc[[row]])
    name = table.columns[table.iloc[row].isna()][0]
    shown = page.inner_text(f'#row-panel li[data-column="{name}"] .filled')
    value = filled.iloc[0][name]
    expected = str(value).lower() if isinstance(value, bool | np.bool_) else str(value)
    assert shown.split(" ")[0][:3] == expected[:3]
    page.locator("tr[data-row] input").nth(1).check()
    page.locator("tr[data-row] input").nth(2).check()
    page.wait_for_selector(".membership >> nth=1")


def test_rows_are_generated_and_downloaded(page):
    page.fill("#condition", "car=none")
    page.press("#condition", "Enter")
    settled(page, "car=none")
    page.click("#views >> text=Generate")
    page.wait_for_selector(".data tbody tr >> nth=99")
    assert set(page.locator(".data td:nth-child(6)").all_inner_texts()) == {"none"}
    with page.expect_download() as waiting:
        page.click("text=Download CSV")
    lines = Path(waiting.value.path()).read_text(encoding="utf-8").splitlines()
    assert len(lines) == 101
    assert all(line.split(",")[5] == "none" for line in lines[1:])


def test_what_if_sorts_columns_by_what_they_tell(page, learnt):
    model, _ = learnt
    page.click("#views >> text=What if")
    page.select_option("#target", "car")
    page.wait_for_selector(".tellers li")
    page.wait_for_function("() => document.querySelector('.lead').textContent.startsWith('car')")
    expected = model.mutual_information()
    shown = {
        one.get_attribute("data-column"): float(one.get_attribute("data-bits"))
        for one in page.locator(".tellers li").all()
    }
    assert list(shown.values()) == sorted(shown.values(), reverse=True)
    for name, bits in shown.items():
        assert bits == pytest.approx(expected["car", name] / np.log(2.0), abs=PRECISE)


def test_the_tree_opens_and_closes_by_keyboard(page, learnt):
    model, _ = learnt
    page.click("#views >> text=Structure")
    page.wait_for_selector("[role=treeitem] [role=treeitem]")
    page.focus("[role=treeitem]")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector('[role=treeitem] [role=treeitem][aria-expanded="true"]')
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(
        "() => document.querySelectorAll('[role=treeitem] [aria-expanded=\"true\"]').length === 0"
    )
    top = page.locator("[role=tree] > li > ul > li .weight").first.get_attribute("title")
    weight = max(model.circuit.weight[model.circuit.edge_start[-2] :])
    assert top.startswith(f"{100 * weight:.0f} % given")


def test_everything_can_be_reached_by_keyboard(page):
    page.focus('.card[data-column="car"] [data-level="petrol"]')
    page.keyboard.press("Enter")
    settled(page, "car=petrol")
    assert page.evaluate("document.activeElement.dataset.level") == "petrol"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")
    settled(page, "car=none")


def test_every_control_has_a_name(page):
    nameless = """() => [...document.querySelectorAll('button, input, select, a, [role=img]')]
        .filter(one => !(one.getAttribute('aria-label') || one.textContent.trim()
            || (one.id && document.querySelector(`label[for="${one.id}"]`))))
        .map(one => one.outerHTML)"""
    for view in ("Columns", "What if", "Rows", "Generate", "Structure", "Fit"):
        page.click(f"#views >> text={view}")
        page.wait_for_timeout(150)
        assert page.evaluate(nameless) == []


def test_columns_are_found_and_sorted(page):
    page.click('.card[data-column="car"] [data-level="none"]')
    settled(page, "car=none")
    page.select_option('select[aria-label="Order of the columns"]', "moved")
    first = page.locator(".card").nth(0).get_attribute("data-column")
    assert first == "car"
    page.fill('input[type="search"]', "inc")
    page.wait_for_function("() => document.querySelectorAll('.card').length === 1")
    assert page.locator(".card").get_attribute("data-column") == "income"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_overflows_at_phone_width(scheme, browser, explorer):
    size = {"width": 360, "height": 740}
    context = browser.new_context(viewport=size, color_scheme=scheme)
    narrow = context.new_page()
    narrow.goto(explorer.url + "?given=car%3Dnone%2C+age%3D30..60")
    narrow.wait_for_selector(".card .level")
    for view in ("columns", "whatif", "rows", "generate", "structure", "fit"):
        narrow.evaluate(f"location.hash = '{view}'")
        narrow.wait_for_timeout(200)
        assert narrow.evaluate("document.documentElement.scrollWidth") <= 360, view
    context.close()


def test_markup_in_names_stays_text(browser):
    model = nasty()
    explorer = explore(model, model.sample(20, random_state=0), title=SCRIPT, port=0)
    context = browser.new_context()
    page, said = context.new_page(), []
    page.on("dialog", lambda dialog: said.append(dialog.message))
    try:
        page.goto(explorer.url)
        page.wait_for_selector(".card .level")
        assert page.inner_text("#title") == SCRIPT
        page.click(".card .level >> nth=0")
        page.wait_for_selector(".chip")
        assert "<b>bold</b>" in page.inner_text(".chip")
        for view in ("whatif", "rows", "generate", "structure", "fit"):
            page.evaluate(f"location.hash = '{view}'")
            page.wait_for_timeout(200)
            assert page.locator("main b, main script").count() == 0
        assert said == []
    finally:
        context.close()
        explorer.stop()
