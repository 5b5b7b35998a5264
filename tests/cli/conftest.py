"""A model and a table with gaps, in files, and a way to call commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from softlearn import Categorical, Column, Gaussian, Model
from softlearn.cli.main import app

HEADER = "name,sex,smoker,stage,age,weight,joined"
ROWS = [
    "a b,F,TRUE,1,30,61.50,2024-01-05",
    '"c, d",M,FALSE,2,,80.25,2024-02-01',
    "e,,FALSE,,70,NA,",
    "f,F,,1,31,60.00,2024-01-09",
]


@pytest.fixture
def run() -> Callable[..., Any]:
    """Call ``softlearn`` with arguments; the result has exit_code, stdout and stderr."""

    def call(*arguments: object, stdin: str | bytes | None = None) -> Any:
        result = CliRunner().invoke(app, [str(one) for one in arguments], input=stdin)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.stderr
        return result

    return call


@pytest.fixture
def answered(run) -> Callable[..., Any]:
    """Call a command with ``--json`` and return its document."""

    def call(*arguments: object, **given: Any) -> Any:
        result = run(*arguments, "--json", **given)
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)

    return call


def patients() -> Model:
    """Two kinds of patients, with every kind of column."""
    young = (
        Categorical("sex", {"F": 0.6, "M": 0.4})
        * Categorical("smoker", {False: 0.9, True: 0.1})
        * Categorical("stage", {1: 0.9, 2: 0.1})
        * Gaussian("age", 30, 6)
        * Gaussian("weight", 60, 8)
        * Gaussian("joined", 1.705e9, 1e6)
    )
    old = (
        Categorical("sex", {"F": 0.5, "M": 0.5})
        * Categorical("smoker", {False: 0.6, True: 0.4})
        * Categorical("stage", {1: 0.2, 2: 0.8})
        * Gaussian("age", 70, 8)
        * Gaussian("weight", 80, 9)
        * Gaussian("joined", 1.69e9, 2e6)
    )
    return Model(
        0.5 * young + 0.5 * old, {"age": "integer", "joined": Column("joined", "datetime")}
    )


@pytest.fixture
def model_file(tmp_path) -> Path:
    path = tmp_path / "patients.safetensors"
    patients().save(path)
    return path


@pytest.fixture
def table_file(tmp_path) -> Path:
    path = tmp_path / "patients.csv"
    path.write_text("\n".join([HEADER, *ROWS]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def training_file(tmp_path) -> Path:
    """Rows drawn from the model, enough to learn from."""
    path = tmp_path / "training.csv"
    drawn = patients().sample(200, random_state=0)
    drawn.drop(columns="joined").to_csv(path, index=False)
    return path
