"""Long lines of Markdown are wrapped, and nothing that has a meaning is moved."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from softlearn.experiments.wrapping import wrapped

LONG = "a few words that go on and on for longer than a line of thirty letters"


def test_a_paragraph_is_wrapped():
    expected = "a few words that go on and on\nfor longer than a line of\nthirty letters\n"
    assert wrapped(f"{LONG}\n", 30) == expected


def test_the_lines_of_an_item_are_indented():
    assert wrapped(f"- one\n- {LONG}", 40) == (
        "- one\n- a few words that go on and on for\n  longer than a line of thirty letters"
    )


def test_code_tables_headings_and_pictures_stay():
    for text in (f"```\n{LONG}\n\n{LONG}\n```", f"| {LONG} |", f"# {LONG}", f"![{LONG}](a.png)"):
        assert wrapped(text, 30) == text


def test_code_inside_a_line_is_not_broken():
    assert wrapped("take `softlearn fit table.csv` and go on", 20) == (
        "take\n`softlearn fit table.csv`\nand go on"
    )


def test_no_line_begins_as_a_list_would():
    assert wrapped("twelve letters - and 3. after", 15) == "twelve letters -\nand 3. after"


def test_the_mark_of_an_empty_item_stays_alone():
    assert wrapped("-\ntwelve letters and more", 15) == "-\ntwelve letters\nand more"


WORDS = st.sampled_from(["a", "word", "`some code`", "-", "3.", "#", "longer_than_that", ">", "|"])
LINES = st.lists(WORDS, max_size=12).map(" ".join)


@given(st.lists(LINES, max_size=8).map("\n".join))
def test_wrapped_text_has_the_same_words_and_stays_as_it_is(text):
    once = wrapped(text, 24)
    assert once.replace(">", "").split() == text.replace(">", "").split()
    assert wrapped(once, 24) == once
