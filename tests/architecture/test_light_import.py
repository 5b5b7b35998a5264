"""Importing the library is cheap: what a program does not use, it does not wait for."""

from __future__ import annotations

from architecture.source_tree import run_fresh

HEAVY = (
    "dask",
    "matplotlib",
    "narwhals",
    "networkx",
    "numba",
    "pandas",
    "polars",
    "pyarrow",
    "scipy.stats",
    "sklearn",
    "starlette",
    "uvicorn",
)
# The one timing that is a contract: every script, command and test pays it before it does anything,
# and it grows by accident, one import at a time. All other speed belongs to the benchmarks.
SECONDS = 1.0
RUNS = 3


def test_import_loads_nothing_heavy():
    """Numba stays out as well, so nothing can have been compiled."""
    code = f"import sys, softlearn; print([m for m in {HEAVY} if m in sys.modules])"
    assert run_fresh(code) == "[]"


def test_import_takes_less_than_a_second():
    """Processor time, the best of a few warm runs: a busy machine must not fail it."""
    run_fresh("import softlearn")  # writes byte code
    assert _best_seconds("import softlearn") - _best_seconds("pass") < SECONDS


def _best_seconds(code: str) -> float:
    timed = f"import time; {code}; print(time.process_time())"
    return min(float(run_fresh(timed)) for _ in range(RUNS))


def test_an_estimator_loads_no_other_and_no_compiler():
    heavy = ("numba", "pandas", "scipy.stats", "sklearn", "softlearn.learn.search")
    code = "import sys; from softlearn import SoftLearn; "
    assert run_fresh(f"{code}print([m for m in {heavy} if m in sys.modules])") == "[]"


LEARN_AND_ASK = """
import sys
import numpy as np
from softlearn import SoftLearn

learner = SoftLearn(random_state=0).fit(np.random.default_rng(0).normal(size=(40, 2)))
learner.score(np.zeros((1, 2)))
learner.set_params(n_clusters=3).get_params()
repr(learner)
print("sklearn" in sys.modules, "scipy.stats" in sys.modules)
"""


def test_learning_and_asking_load_no_scikit_learn():
    """It takes longer to import than all of softlearn."""
    assert run_fresh(LEARN_AND_ASK) == "False False"


def test_the_list_of_commands_loads_no_learner():
    """Only commands that learn need the learners' parameters."""
    code = (
        "import sys; from typer.testing import CliRunner; from softlearn.cli.main import app; "
        "listed = CliRunner().invoke(app, ['--help']).stdout; "
        "print('tune' in listed, 'softlearn.learn' in sys.modules, 'numpy' in sys.modules)"
    )
    assert run_fresh(code) == "True False False"


PROGRAMS = ("softlearn.experiments", "softlearn.demo")
USE = """
import sys
import numpy as np
import pandas as pd
import softlearn

rng = np.random.default_rng(0)
rows = pd.DataFrame({"a": rng.random(60) < 0.5, "x": rng.normal(size=60)})
model = softlearn.SoftLearn(random_state=0).fit(rows).model_
model.score(rows)
model.probability({"a": True}, given={"x": (0, None)})
model.sample(3, random_state=0)
model.impute(rows)
softlearn.show.tell(model)
print([name for name in sys.modules if name.startswith(PROGRAMS)])
"""


def test_using_the_library_loads_no_program():
    """The paper's experiments and the demo ship with the library and stay out of its way."""
    assert run_fresh(f"PROGRAMS = {PROGRAMS}\n{USE}") == "[]"
