"""One question to a small circuit is answered without a compiler, and the answer is the same."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from softlearn import SoftLearn
from softlearn.kernels import interpreted

LOADED = (
    "import sys\nfrom softlearn.cli.main import main\ntry: main()\nfinally: print(*sys.modules)"
)


def asked(*arguments):
    """Ask in a process of its own; return the answer and the modules that were loaded."""
    command = [sys.executable, "-W", "error", "-c", LOADED, "query", *map(str, arguments)]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True)
    *answer, modules = done.stdout.strip().split("\n")
    return json.loads("\n".join(answer)), set(modules.split())


@pytest.fixture(scope="module")
def learnt(tmp_path_factory):
    """A model of columns of all kinds, and the file that it is in."""
    rng = np.random.default_rng(0)
    side = rng.random(500) < 0.5
    table = pd.DataFrame(
        {
            "side": np.where(side, "left", "right"),
            "number": rng.normal(np.where(side, -3.0, 3.0)),
            "count": rng.poisson(np.where(side, 2, 9)),
            "level": rng.choice(list("abcde"), 500),
        }
    )
    leaves = {"number": "gaussian"}
    model = SoftLearn(random_state=0, leaf=leaves).fit(table).model_
    path = tmp_path_factory.mktemp("models") / "model.safetensors"
    model.save(path)
    return model, path


def test_neither_a_compiler_nor_scikit_learn_is_loaded(learnt):
    _, modules = asked(learnt[1], "side", "--given", "count=3")
    assert "softlearn.kernels.circuit.upward" in modules
    assert modules & {"numba", "sklearn", "scipy.stats", "pandas"} == set()


def test_distributions_are_those_of_compiled_kernels(learnt):
    model, path = learnt
    found, _ = asked(path, "side", "--given", "count=3, number=-1..2")
    expected = model.distribution("side", given={"count": 3, "number": (-1, 2)})
    levels = found["distributions"]["side"]["probabilities"]
    assert levels == pytest.approx(dict(expected.items()), rel=1e-12)


def test_probabilities_are_those_of_compiled_kernels(learnt):
    model, path = learnt
    found, _ = asked(path, "side=left", "--given", "level in {a, b}, number>=1")
    expected = model.probability({"side": "left"}, given={"level": ["a", "b"], "number": (1, None)})
    assert found["probability"] == pytest.approx(expected, rel=1e-12)


def test_means_are_those_of_compiled_kernels(learnt):
    model, path = learnt
    found, _ = asked(path, "number, count", "--mean", "--given", "side=left")
    expected = model.expectation(["number", "count"], given={"side": "left"})
    assert found["means"] == pytest.approx(expected, rel=1e-12)


def test_a_process_that_goes_on_compiles():
    interpreted.question_is_small()
    assert not interpreted.is_interpreted()
