"""Conditions as text: what they mean, how they are written, and where a mistake is."""

from __future__ import annotations

import re
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softlearn.conditions import LanguageError, format_conditions, parse_conditions, parse_question
from softlearn.table import Column, Schema, find_scale

SCHEMA = Schema(
    (
        Column("age", "integer"),
        Column("weight", "numeric"),
        Column("sex", "categorical", ("F", "M")),
        Column("income", "categorical", ("<=50K", ">50K")),
        Column("city", "categorical", ("Rome", "New York, NY", "a..b", "?", "O'Hara", "")),
        Column("stage", "categorical", (1, 2, 4)),
        Column("smoker", "boolean"),
        Column("flag", "boolean", (0, 1)),
        Column("joined", "datetime"),
        Column("hours per week", "integer"),
        Column("a=b, {c}", "numeric"),
        Column("score", "integer", scale=find_scale([1, 2, 3] * 9, whole=True), missing="modelled"),
        Column("sort", "categorical", ("a", "b"), missing="modelled"),
    )
)

MEANINGS = {
    "": {},
    "age=30..40, sex=F": {"age": (30, 40), "sex": "F"},
    " age = 30 .. 40 , sex= F ": {"age": (30, 40), "sex": "F"},
    "age=30..": {"age": (30, None)},
    "age=..40": {"age": (None, 40)},
    "age>=30": {"age": (30, None)},
    "age>30": {"age": (31, None)},
    "age<30": {"age": (None, 29)},
    "age<30.5": {"age": (None, 30)},
    "age>30.5": {"age": (31, None)},
    "age>=30, age<40": {"age": (30, 39)},
    "age<=40, age>=30": {"age": (30, 40)},
    "weight<30": {"weight": (None, 30.0)},
    "weight=-5..-1.5": {"weight": (-5.0, -1.5)},
    "weight=1e3": {"weight": 1000.0},
    "weight=.5...75": {"weight": (0.5, 0.75)},
    "income=>50K": {"income": ">50K"},
    "income=<=50K": {"income": "<=50K"},
    "sex in {F, M}": {"sex": {"F", "M"}},
    "sex in{F}": {"sex": {"F"}},
    "sex={M}": {"sex": {"M"}},
    "sex!=F": {"sex": {"M"}},
    "sex=?": {"sex": None},
    "city='?'": {"city": "?"},
    'city="New York, NY"': {"city": "New York, NY"},
    "city in {'New York, NY', Rome, 'a..b', O'Hara, ''}": {
        "city": {"New York, NY", "Rome", "a..b", "O'Hara", ""}
    },
    "city='O''Hara'": {"city": "O'Hara"},
    "stage<4": {"stage": {1, 2}},
    "stage=2..": {"stage": {2, 4}},
    "stage=2.0": {"stage": 2},
    "smoker=yes": {"smoker": True},
    "smoker=False": {"smoker": False},
    "flag=1": {"flag": 1},
    "flag=true": {"flag": 1},
    "joined=2024-01-01..2024-02-01T12:30": {
        "joined": (datetime(2024, 1, 1), datetime(2024, 2, 1, 12, 30))
    },
    "hours per week>=30": {"hours per week": (30, None)},
    "'a=b, {c}'=1": {"a=b, {c}": 1.0},
    "score in {3, 7}": {"score": {3, 7}},
    "score={3}": {"score": {3}},
    "score is missing": {"score": {None}},
    "score is  not missing , sex=F": {"score": (None, None), "sex": "F"},
    "sort is missing": {"sort": {None}},
    "sort is not missing": {"sort": {"a", "b"}},
    "sort!=a": {"sort": {"b"}},
}

# What the caret points at stands between « and ».
MISTAKES = {
    "«agee»=30": "did you mean 'age'",
    "age=30, «sx»=F": "did you mean 'sex'",
    "sex=«f»": "did you mean 'F'",
    "sex=«woman»": "known: 'F', 'M'",
    "age=«old»": "expected a number, not 'old'",
    "age=«>30»": "to compare, write age>=30",
    "age=«nan»": "expected a number",
    "age=«30 sex=F»": "put a comma between",
    "age=30..40«.».50": "expected a comma, or the end, not '.'",
    "age in {«30, 40»}": "say a range",
    "age!=«30»": "only levels can be excluded",
    "sex>=«M»": "have no order",
    "income>«50K»": "did you mean income=>50K",
    "stage>«4»": "no such level",
    "joined=«soon»": "written like 2024-12-31",
    "age=30, «age»=31": "already has a condition",
    "age>=30, «age»>=31": "already has a condition",
    "«=»3": "expected a column, not '='",
    "sex in {«}»": "expected a value, not '}'",
    "city=«'Rome»": "never closed",
    "age=30,«,»sex=F": "expected a column, not ','",
    "flag=«maybe»": "has no level 'maybe'",
    "«sex» is missing": "its missing cells are not modelled",
    "«score is lost»=3": "there is no column 'score is lost'",
    "sort=«c»": "known: 'a', 'b'",
}
# Text that ends too early: the caret stands behind it.
UNFINISHED = {
    "age=": "expected a value",
    "age=..": "on one side of",
    "age=30,": "expected a column after the comma",
    "sex in {F": "expected a comma or '}'",
    "sex in {F,": "expected a value",
    "sex": "expected =, !=",
}


@pytest.mark.parametrize("text", MEANINGS)
def test_a_text_means_what_model_understands(text):
    assert parse_conditions(text, SCHEMA) == MEANINGS[text]


@pytest.mark.parametrize("marked", MISTAKES)
def test_a_mistake_is_pointed_at(marked):
    text = marked.replace("«", "").replace("»", "")
    with pytest.raises(LanguageError, match=re.escape(MISTAKES[marked])) as caught:
        parse_conditions(text, SCHEMA)
    assert (caught.value.start, caught.value.end) == (marked.index("«"), marked.index("»") - 1)


def test_the_caret_stands_below_the_mistake():
    with pytest.raises(LanguageError, match="sexx") as caught:
        parse_conditions("age=30..40, sexx=F", SCHEMA)
    reason, line, caret = str(caught.value).splitlines()
    assert reason == "there is no column 'sexx'; did you mean 'sex'?"
    assert line == "  age=30..40, sexx=F"
    assert caret == "              ^^^^"


@pytest.mark.parametrize("text", UNFINISHED)
def test_an_unfinished_text_says_what_is_missing_at_its_end(text):
    with pytest.raises(LanguageError, match=re.escape(UNFINISHED[text])) as caught:
        parse_conditions(text, SCHEMA)
    assert caught.value.start == len(text)


def test_a_question_names_columns_or_says_conditions():
    assert parse_question("age, sex=?", SCHEMA).columns == ("age", "sex")
    assert parse_question("income=>50K, sex=F", SCHEMA).event == {"income": ">50K", "sex": "F"}
    assert parse_question("", SCHEMA).columns == ()


SIGNS = "a .,={}<>!?'\"in"  # whatever the grammar takes notice of
words = st.text(max_size=8) | st.text(SIGNS, max_size=8)
names = words.filter(bool)
levels = st.lists(words, min_size=1, max_size=4, unique=True)
numbers = st.floats(allow_nan=False, allow_infinity=False)
times = st.datetimes()
truths = st.booleans()


@st.composite
def spoken(draw):
    """A schema, and something that can be said about it."""
    columns, said = [], {}
    for name in draw(st.lists(names, min_size=1, max_size=4, unique=True)):
        kind = draw(st.sampled_from(["categorical", "boolean", "integer", "numeric", "datetime"]))
        known = tuple(draw(levels)) if kind == "categorical" else ()
        column = Column(name, kind, known)
        values = {
            "categorical": st.sampled_from(column.levels) if known else st.nothing(),
            "boolean": truths,
            "integer": st.integers(-(2**53), 2**53),
            "numeric": numbers,
            "datetime": times,
        }[kind]
        choices = [values, st.none()]
        if column.is_discrete:
            choices.append(st.sets(values, min_size=1))
        else:
            choices += [st.tuples(values, st.none()), st.tuples(st.none(), values)]
            choices.append(st.tuples(values, values))
        columns.append(column)
        said[name] = draw(st.one_of(choices))
    return Schema(tuple(columns)), said


def test_missing_cells_are_written_as_they_are_read():
    said = {"score": {None}, "sort": {None}, "age": (None, None)}
    assert format_conditions(said) == "score is missing, sort is missing, age is not missing"


LOOK_LIKE_GRAMMAR = [
    "a is missing",
    "a is not missing",
    "a..b",
    "..",
    "?",
    "",
    " a",
    "a ",
    "a,b",
    "{a}",
    "'a'",
    '"',
    "it's",
    "=",
    "in {a}",
]


@pytest.mark.parametrize("word", LOOK_LIKE_GRAMMAR)
def test_words_that_look_like_grammar_are_read_again(word):
    schema = Schema((Column(word, "categorical", tuple(LOOK_LIKE_GRAMMAR)),))
    for said in ({word: word}, {word: {word}}):
        assert parse_conditions(format_conditions(said), schema) == said


@given(spoken())
def test_what_is_written_is_read_again(drawn):
    schema, said = drawn
    assert parse_conditions(format_conditions(said), schema) == said


@given(st.text(alphabet="age=sx.<>!,{}'\"? 01in", max_size=20))
def test_any_text_is_read_or_pointed_at(text):
    mistake = None
    try:
        parse_conditions(text, SCHEMA)
    except LanguageError as error:
        mistake = error
    assert mistake is None or 0 <= mistake.start <= len(text)
    assert mistake is None or mistake.start < mistake.end
