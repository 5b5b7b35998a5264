"""Mixed tables come with the columns that their authors meant, from a folder or from OpenML."""

from __future__ import annotations

import gzip
import hashlib
import json

import numpy as np
import pandas as pd
import pytest

from datasets.local_server import status
from softlearn import SoftlearnError, infer_schema
from softlearn.datasets import MIXED_NAMES, load_mixed, mixed, openml

# Fees of 0 and 1 would be guessed to be boolean.
CSV = "month,size,grade,fee\nmay,0.1,A2,1\njan,2.0,A1,0\nmay,1e-06,A10,1\n"
COLUMNS = [
    {"name": "month", "openml": "V2", "kind": "categorical", "levels": ["jan", "may"]}
    | {"seen": [1, 0]},
    {"name": "size", "openml": "V1", "kind": "numeric"},
    {"name": "grade", "kind": "categorical", "levels": ["A1", "A2", "A10"], "seen": [1, 0, 2]},
    {"name": "fee", "kind": "integer"},
]
# The same cells as OpenML might send them: other order, names, quotes, and one column more.
ARFF = """% Débts of a shop
@RELATION shop
@ATTRIBUTE V1 REAL
@attribute 'V2' {'1', "5", '12'}
@attribute "grade" { '<0', 'no, never', '>=7'}
@attribute fold {1,2}
@attribute fee INTEGER

@DATA
0.10,'5','no, never',1,1
2,"1",'<0',1, 0.0
% a remark
0.000001,5,'>=7',2,1
"""


@pytest.fixture(autouse=True)
def shop(monkeypatch):
    """A table of four columns, 'shop', that nobody has yet."""
    about = {"about": "a shop", "licence": "none", "citation": "nobody", "openml": 7}
    about |= {"rows": 3, "target": "grade", "columns": COLUMNS}
    about["sha256"] = hashlib.sha256(CSV.encode()).hexdigest()
    monkeypatch.setitem(mixed._CONTENTS, "shop", about)


@pytest.fixture
def put(tmp_path, monkeypatch):
    """A data folder with the shop, and a way to replace it."""
    monkeypatch.setenv("SOFTLEARN_DATA", str(tmp_path))

    def write(text: str) -> None:
        (tmp_path / "openml").mkdir(exist_ok=True)
        (tmp_path / "openml" / "shop.csv.gz").write_bytes(gzip.compress(text.encode()))

    write(CSV)
    return write


@pytest.fixture
def publish(server, monkeypatch):
    """A service like OpenML with the shop, and a way to replace it."""
    monkeypatch.setattr(openml, "SERVICE", server.address)

    def serve(arff: str) -> None:
        address = server.give("/files/shop.arff", arff.encode())
        description = json.dumps({"data_set_description": {"id": "7", "url": address}})
        server.give("/api/v1/json/data/7", description.encode())

    serve(ARFF)
    return serve


@pytest.mark.usefixtures("put")
def test_columns_have_their_dtypes_and_cells():
    frame, _, target = load_mixed("shop")
    expected = pd.DataFrame(
        {
            "month": pd.Categorical(["may", "jan", "may"], ["jan", "may"]),
            "size": [0.1, 2.0, 1e-06],
            "grade": pd.Categorical(["A2", "A1", "A10"], ["A1", "A2", "A10"]),
            "fee": np.array([1, 0, 1], dtype=np.int64),
        }
    )
    pd.testing.assert_frame_equal(frame, expected)
    assert target == "grade"


@pytest.mark.usefixtures("put")
def test_the_schema_says_what_was_published():
    schema = load_mixed("shop").schema
    kinds = {column.name: column.kind for column in schema}
    assert kinds == {column["name"]: column["kind"] for column in COLUMNS}
    assert schema["month"].levels == ("jan", "may")


@pytest.mark.usefixtures("publish")
def test_openml_gives_the_very_same_file(cache):
    frame = load_mixed("shop").frame
    assert gzip.decompress((cache / "openml" / "shop.csv.gz").read_bytes()).decode() == CSV
    assert frame["grade"].tolist() == ["A2", "A1", "A10"]


def test_a_changed_number_at_openml_is_noticed(publish, cache):
    publish(ARFF.replace("0.10", "0.11"))
    with pytest.raises(SoftlearnError, match=r"/d/7 has the checksum .*its cells differ"):
        load_mixed("shop")
    assert not cache.exists()


def test_a_changed_level_at_openml_is_noticed(publish):
    publish(ARFF.replace("0.000001,5", "0.000001,'1'"))
    with pytest.raises(SoftlearnError, match="has the checksum"):
        load_mixed("shop")


def test_a_missing_row_at_openml_is_noticed(publish):
    publish(ARFF.replace("%", "1.0,5,'>=7',2,1\n%"))
    with pytest.raises(SoftlearnError, match="/d/7 has 4 rows instead of 3"):
        load_mixed("shop")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("V1", "size", "no column 'V1'"),
        ("'>=7',2", "'>=7'", "rows of 5 cells each"),
        ("0.10", "?", "could not convert"),
        ("'no, never',1", "'<0',1", "'grade' has 2 levels instead of 3"),
        ("@DATA", "@END", "rows of 5 cells"),
    ],
)
def test_another_table_at_openml_is_refused(publish, cache, old, new, words):
    publish(ARFF.replace(old, new))
    with pytest.raises(SoftlearnError, match=f"is not the expected table: .*{words}"):
        load_mixed("shop")
    assert not cache.exists()


@pytest.mark.parametrize("answer", [b"<html>", b"[]", b'{"data_set_description": {}}'])
@pytest.mark.usefixtures("publish")
def test_a_description_without_a_file_is_refused(server, answer):
    server.give("/api/v1/json/data/7", answer)
    with pytest.raises(SoftlearnError, match="/d/7: its description names no file"):
        load_mixed("shop")


@pytest.mark.usefixtures("publish")
def test_a_file_on_this_machine_is_not_read(server):
    answer = {"data_set_description": {"url": "file:///etc/hostname"}}
    server.give("/api/v1/json/data/7", json.dumps(answer).encode())
    with pytest.raises(
        SoftlearnError, match="file:///etc/hostname: not an address that begins with https://"
    ):
        load_mixed("shop")


@pytest.mark.usefixtures("publish")
def test_a_service_that_is_down_is_an_error(server):
    server.give("/api/v1/json/data/7", status(503))
    with pytest.raises(SoftlearnError, match=r"(?s)openml/shop\.csv\.gz cannot be fetched.*503"):
        load_mixed("shop")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("0.1", "0.2", "has the checksum"),
        ("jan,2.0,A1,0\n", "", "has 2 rows instead of 3"),
        ("fee", "price", ".* has 'price', which is not one of them"),
        ("month,size", "size,month", "should begin with the columns month, size, .* others"),
        (CSV, "", "should begin with the columns"),
    ],
)
def test_a_wrong_file_is_noticed(put, old, new, words):
    put(CSV.replace(old, new))
    with pytest.raises(SoftlearnError, match=rf"shop\.csv\.gz {words}.*; replace the file"):
        load_mixed("shop")


def test_an_unknown_name_is_refused_with_a_hint():
    with pytest.raises(SoftlearnError, match="no mixed table 'banks'; did you mean 'bank'"):
        load_mixed("banks")


def test_there_are_six_tables():
    assert MIXED_NAMES == ("bank", "electricity", "segment", "german", "vowel", "cmc")


@pytest.mark.usefixtures("real_data")
@pytest.mark.parametrize("name", MIXED_NAMES)
def test_real_tables_are_complete_and_fit_their_schema(name):
    frame, schema, target = load_mixed(name)
    about = mixed._CONTENTS[name]
    assert frame.shape == (about["rows"], len(about["columns"]))
    assert not frame.isna().any().any()
    assert schema[target].kind == "categorical"
    assert [column.kind for column in schema] == [column["kind"] for column in about["columns"]]
    guessed = infer_schema(frame, overrides={column.name: column.kind for column in schema})
    assert [(c.name, c.levels, c.dtype) for c in guessed] == [
        (c.name, c.levels, c.dtype) for c in schema
    ]


@pytest.mark.usefixtures("real_data")
@pytest.mark.parametrize("name", MIXED_NAMES)
def test_real_tables_survive_the_way_through_arff(name):
    """Also with other names of levels, as OpenML has them for some tables."""
    frame = load_mixed(name).frame
    columns = mixed._CONTENTS[name]["columns"]
    heads = [f"@attribute '{column.get('openml', column['name'])}' x" for column in columns]
    for column in columns:
        if column["kind"] == "categorical":
            frame[column["name"]] = frame[column["name"]].cat.rename_categories(
                {level: f"'a level, {i}'" for i, level in enumerate(column["levels"])}
            )
    rows = [",".join(map(str, row)) for row in frame.itertuples(index=False)]
    arff = "\n".join([*heads, "@data", *rows])
    rewritten = hashlib.sha256(openml.as_csv(arff, columns)).hexdigest()
    assert rewritten == mixed._CONTENTS[name]["sha256"]
