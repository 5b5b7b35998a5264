"""The API answers as its description says, and as Python does."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from model_examples import fork, patients
from softlearn.conditions import parse_conditions
from softlearn.show.views.values import cell
from softlearn.table import encode
from softlearn.web.endpoints import ENDPOINTS
from softlearn.web.openapi import DESCRIPTION
from web.explorers import SCRIPT, Client, nasty, session_of

GIVEN = [
    "",
    "age=40..60, sex=M",
    "stage in {1, 2}",
    "weight=70",
    "age=45",
    "smoker=true, weight>=80",
]
QUESTIONS = {
    "/api/model": [{}],
    "/api/posterior": [{"given": text} for text in GIVEN] + [{"column": ["age", "sex"]}],
    "/api/informative": [{"target": "stage", "given": text} for text in GIVEN],
    "/api/sample": [{"given": text, "n": 5, "seed": 3} for text in GIVEN],
    "/api/sample.csv": [{"n": 5}],
    "/api/structure": [{}, {"node": 0}, {"given": "sex=F", "start": 1}],
    "/api/rows": [{}, {"order": "usual", "start": 3, "n": 2}],
    "/api/row": [{"row": 0}, {"row": 7}],
    "/api/memberships": [{"row": [0, 1, 2]}],
    "/api/fit": [{}],
}


@pytest.fixture(scope="module")
def client() -> Client:
    return Client(session_of(patients()))


@pytest.fixture(scope="module")
def strange() -> Client:
    return Client(session_of(nasty()))


def test_every_endpoint_is_asked_here():
    assert set(QUESTIONS) == {endpoint.path for endpoint in ENDPOINTS}


def test_the_listing_names_every_endpoint_and_its_description(client):
    listing = client.get("/api").json()
    assert {one["path"] for one in listing["endpoints"]} == set(QUESTIONS)
    assert client.get(listing["openapi"]).json()["openapi"].startswith("3.1")


@pytest.mark.parametrize("path", [path for path in QUESTIONS if not path.endswith("csv")])
def test_answers_fit_their_description(path, client):
    described = client.get(DESCRIPTION).json()["paths"][path]["get"]
    schema = described["responses"]["200"]["content"]["application/json"]["schema"]
    for asked in QUESTIONS[path]:
        reply = client.get(path, **asked)
        assert reply.status == 200, reply.body
        Draft202012Validator(schema).validate(reply.json())


@pytest.mark.parametrize("text", GIVEN)
def test_posteriors_are_what_python_answers(text, client):
    model, found = patients(), client.get("/api/posterior", given=text).json()
    said = parse_conditions(text, model.schema)
    for one in found["distributions"]:
        if "at" in one:
            continue
        expected = model.distribution(one["name"], said)
        if "probabilities" in one:
            np.testing.assert_allclose(one["probabilities"], list(expected.values()), atol=1e-9)
            continue
        levels = np.array([0.05, 0.25, 0.5, 0.75, 0.95])
        drawn = expected.drawing(np.array([0.0]), levels)
        np.testing.assert_allclose(one["quantiles"], drawn.quantiles, rtol=1e-7)
        np.testing.assert_allclose([one["mean"], one["deviation"]], [drawn.mean, expected.std])
        assert sum(one["shares"]) + one["below"] + one["above"] == pytest.approx(1.0)


def test_the_probability_of_evidence_is_pythons(client):
    model = patients()
    for text in ("age=40..60, sex=M", "age=45", "stage in {1, 2}"):
        evidence = client.get("/api/posterior", given=text).json()["evidence"]
        expected = model.probability(parse_conditions(text, model.schema))
        assert evidence["probability"] == pytest.approx(expected, rel=1e-9)
        assert evidence["bits"] == pytest.approx(-np.log2(expected))
    density = client.get("/api/posterior", given="weight=70").json()["evidence"]
    assert density["probability"] is None
    assert density["density"] > 0.0


def test_questions_that_wait_together_are_answered_as_alone(client):
    asked = [("/api/posterior", {"given": text}) for text in GIVEN * 3]
    asked.insert(4, ("/api/posterior", {"given": "no such thing"}))
    asked.insert(7, ("/api/posterior", {"given": "stage=1, smoker=true, age=39.5"}))
    together = client.gather(asked)
    alone = [client.get(path, **question) for path, question in asked]
    assert [one.status for one in together] == [one.status for one in alone]
    for one, other in zip(together, alone, strict=True):
        _must_be_near(one.json(), other.json())


def test_columns_that_are_not_asked_for_are_summarised_only(client):
    found = client.get("/api/posterior", given="sex=F", column=["age"]).json()
    assert [one["name"] for one in found["distributions"]] == ["age"]
    assert len(found["columns"]) == len(patients().schema)


def test_drawn_rows_are_those_of_the_model(client):
    model = patients()
    found = client.get("/api/sample", given="sex=F", n=20, seed=5).json()
    rows = encode(model.sample(20, {"sex": "F"}, random_state=5), model.schema).T.tolist()
    expected = [[cell(c, x) for c, x in zip(model.schema, row, strict=True)] for row in rows]
    np.testing.assert_array_equal([row[:4] for row in found["rows"]], [row[:4] for row in expected])


def test_the_file_holds_the_drawn_rows(strange):
    reply = strange.get("/api/sample.csv", n=7, seed=1)
    rows = list(csv.reader(io.StringIO(reply.body.decode())))
    found = strange.get("/api/sample", n=7, seed=1).json()
    assert reply.headers["content-disposition"].startswith("attachment")
    assert rows[0] == found["columns"]
    assert [row[0] for row in rows[1:]] == [row[0] for row in found["rows"]]


@pytest.mark.parametrize(
    ("path", "asked", "message"),
    [
        ("/api/posterior", {"given": "age=x"}, "expected a number, not 'x'\n  age=x\n      ^"),
        (
            "/api/posterior",
            {"given": "agee=3"},
            "there is no column 'agee'; did you mean 'age' or 'stage'?",
        ),
        ("/api/posterior", {"column": "nobody"}, "there is no column 'nobody'"),
        ("/api/posterior", {"colunm": "age"}, "there is no parameter 'colunm'"),
        ("/api/posterior", {"given": ["sex=F", "sex=M"]}, "given is given 2 times"),
        ("/api/posterior", {"given": "a" * 9000}, "given has more than 8,000 letters"),
        ("/api/informative", {}, "target is missing"),
        ("/api/sample", {"n": "1e3"}, "n must be a whole number from 1 to 10000, not '1e3'"),
        ("/api/sample", {"n": 10_001}, "n must be a whole number from 1 to 10000"),
        ("/api/structure", {"node": 99999}, "there is no node 99999"),
        ("/api/rows", {"order": "up"}, "order must be odd or usual or table"),
        ("/api/row", {"row": 60}, "there is no row 60; the table has rows 0 to 59"),
        ("/api/row", {"row": -1}, "row must be a whole number from 0"),
    ],
)
def test_mistakes_are_told_in_the_words_of_the_command_line(path, asked, message, client):
    reply = client.get(path, **asked)
    assert reply.status == 400
    assert message in reply.json()["error"]["message"]


def test_impossible_evidence_is_refused_with_its_own_words():
    refused = Client(session_of(fork())).get("/api/posterior", given="colour=red, size>=3")
    assert refused.status == 400
    assert "has probability zero" in refused.json()["error"]["message"]


def test_without_a_table_rows_are_not_found():
    client = Client(session_of(patients(), None))
    assert client.get("/api/model").json()["n_rows"] is None
    for path, asked in (("/api/rows", {}), ("/api/row", {"row": 0}), ("/api/fit", {})):
        assert client.get(path, **asked).status == 404


def test_names_that_are_markup_or_grammar_go_in_and_out(strange):
    text = f"\"{SCRIPT}\"='<b>bold</b>', 'is missing'='..', 'x {{y}}'>=0, when>=2023-06-01"
    found = strange.get("/api/posterior", given=text).json()
    again = strange.get("/api/posterior", given=found["given"]).json()
    assert again == found
    assert [one["column"] for one in found["conditions"]] == [SCRIPT, "is missing", "x {y}", "when"]


NAMES = ["age", "sex", "stage", "joined", "weight", "nobody"]
RELATIONS = ["=", ">=", "!=", "..", " in ", "{", "}", ",", " is missing", "'", '"', "?", " "]
CELLS = ["F", "45", "1", "2024-01-01", "-", "1e400", "nan", "\x00", "é"]
WORDS = st.sampled_from([*NAMES, *RELATIONS, *CELLS])


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    path=st.sampled_from(sorted(QUESTIONS)),
    text=st.lists(WORDS, max_size=9).map("".join) | st.text(max_size=30),
    numbers=st.dictionaries(
        st.sampled_from(["n", "seed", "row", "start", "node"]),
        st.integers(-5, 200) | st.text(max_size=5),
        max_size=2,
    ),
    more=st.sampled_from([{}, {"target": "age"}, {"column": "sex"}, {"order": "usual"}]),
)
def test_no_question_breaks_the_server(client, path, text, numbers, more):
    reply = client.get(path, **{"given": text, **numbers, **more})
    assert reply.status in (200, 400)
    if reply.status == 400:
        Draft202012Validator(
            client.get(DESCRIPTION).json()["components"]["schemas"]["Error"]
        ).validate(reply.json())


def _must_be_near(one: object, other: object) -> None:
    """Compare answers that were computed in other blocks, to the last digits."""
    flat, expected = json.dumps(_rounded(one)), json.dumps(_rounded(other))
    assert flat == expected


def _rounded(value: object) -> object:
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return (
        float(f"{value:.7e}") + 0.0
        if isinstance(value, float) and abs(value) > 1e-9
        else (0.0 if isinstance(value, float) else value)
    )
