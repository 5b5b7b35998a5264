"""What a notebook shows of models, schemas and distributions, and the table of columns."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import polars as pl
import pytest

from model_examples import patients
from softlearn import Categorical, Gaussian, Model

SCRIPT = "<script>alert(1)</script>"
STRANGE = Model(
    0.5 * Categorical(SCRIPT, {"<b>": 0.9, "&amp;": 0.1}) * Gaussian("<i>", 0, 1)
    + 0.5 * Categorical(SCRIPT, {"<b>": 0.2, "&amp;": 0.8}) * Gaussian("<i>", 4, 1)
)
SHOWN = {
    "model": STRANGE,
    "schema": STRANGE.schema,
    "levels": STRANGE.distribution(SCRIPT),
    "numbers": STRANGE.distribution("<i>"),
    "pairs": STRANGE.covariance(["<i>"]),
}


class Seen(HTMLParser):
    """Collects tags and text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags, self.text, self.attributes = [], "", []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_data(self, data):
        self.text += data


def seen(markup: str) -> Seen:
    found = Seen()
    found.feed(markup)
    return found


@pytest.mark.parametrize("name", SHOWN)
def test_names_and_levels_are_text_and_nothing_runs(name):
    found = seen(SHOWN[name]._repr_html_())
    assert not {"script", "b", "i", "iframe", "img", "link"} & set(found.tags)
    assert not [one for one in found.attributes if one.startswith("on")]
    assert SCRIPT in found.text or "<i>" in found.text


def test_bars_are_as_long_as_probabilities():
    widths = re.findall(r"width:([\d.]+)px;height:10px", SHOWN["levels"]._repr_html_())
    shares = np.array(list(SHOWN["levels"].values()))
    np.testing.assert_allclose(np.array(list(map(float, widths))) / 140, shares, atol=1e-3)


def test_many_columns_are_counted():
    node = Gaussian("x0", 0, 1)
    for i in range(1, 60):
        node = node * Gaussian(f"x{i}", 0, 1)
    assert "and 20 more" in Model(node)._repr_html_()


def test_the_table_of_columns_says_what_distributions_say():
    model = patients()
    table = model.describe_columns().set_index("column")
    assert isinstance(table, pd.DataFrame)
    assert list(table.index) == list(model.schema.names)
    age, sex = model.distribution("age"), model.distribution("sex")
    assert table.loc["age", "mean"] == pytest.approx(age.mean)
    assert table.loc["age", "50%"] == pytest.approx(age.quantile(0.5))
    assert table.loc["sex", "top"] == sex.mode
    assert table.loc["sex", "top_share"] == pytest.approx(sex[sex.mode])
    first = table.loc["stage", "informative"].split(", ")[0]
    pairs = model.mutual_information()
    told = {name: pairs["stage", name] for name in pairs.names if name != "stage"}
    best = max(told, key=told.get)
    assert first == f"{best} {told[best] / np.log(2):.2f} bits"
    assert table.loc["joined", "top"].startswith("2023")
    assert (model.describe_columns(n_informative=0)["informative"] == "").all()


def test_it_comes_in_the_library_of_the_schema():
    from dataclasses import replace

    model = patients()
    for library, kind in (("polars", pl.DataFrame), ("numpy", pd.DataFrame)):
        schema = replace(model.schema, frame=library)
        assert isinstance(Model(model.circuit, schema).describe_columns(), kind)
    arrow = Model(model.circuit, replace(model.schema, frame="pyarrow")).describe_columns()
    assert arrow.column_names[:2] == ["column", "kind"]
