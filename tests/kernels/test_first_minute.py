"""What is compiled in the first minute after installation, and what is said of it."""

import json
import os
import subprocess
import sys

import pytest
from benchmarks.cold import measure

from softlearn.kernels import announce as announcing

# Each function costs a tenth of a second, once per installation: add to these with reason.
MOST_FUNCTIONS = 150
MOST_COMPILATIONS = 225  # NumPy's and Python's own functions with and without counted references
# A table of two-level columns uses what a mixed one has compiled.
SECONDS_OF_A_SECOND_TABLE = 1.0


@pytest.mark.slow
def test_no_more_is_compiled_than_is_written_down():
    cold = measure()
    assert len(cold.signatures) <= MOST_FUNCTIONS
    assert sum(cold.signatures.values()) <= MOST_COMPILATIONS
    assert cold.seconds["binary fit"] < SECONDS_OF_A_SECOND_TABLE


@pytest.fixture
def unsaid(monkeypatch):
    monkeypatch.setattr(announcing, "_SAID", [])
    return monkeypatch


def test_a_terminal_is_told_once_where_the_compiled_code_is_kept(unsaid, capsys):
    unsaid.setattr(sys.stderr, "isatty", lambda: True)
    announcing.announce()
    announcing.announce()
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "once per installation" in said
    assert str(announcing.cache_folder()) in said


def test_a_notebook_is_told_too(unsaid, capsys):
    unsaid.setattr(sys, "ps1", "In : ", raising=False)
    announcing.announce()
    assert "compiling" in capsys.readouterr().err


def test_pipes_and_log_files_are_told_nothing(unsaid, capsys):
    unsaid.delattr(sys, "ps1", raising=False)
    announcing.announce()
    assert capsys.readouterr().err == ""


# In a process of its own, in which Numba finds no folder that it can write to.
NO_FOLDER = """
import json
import numpy as np
from numba.core import caching
for kind in (caching.CacheImpl, *caching.CacheImpl.__subclasses__()):
    kind._locator_classes = []
from softlearn.kernels import announce
from softlearn.kernels.seeds import uniform
value = uniform(np.uint64(1))
print(json.dumps({"value": value, "said": announce._SAID}))
"""


def test_without_a_folder_to_keep_it_in_compiled_code_still_runs():
    done = subprocess.run(
        [sys.executable, "-c", NO_FOLDER], capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    assert 0.0 <= found["value"] < 1.0
    assert "in each process" in found["said"][0]


def test_numba_can_be_told_where_to_keep_it(tmp_path):
    script = (
        "import numpy as np; from softlearn.kernels.seeds import uniform; uniform(np.uint64(1))"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", script], env=environment, check=True)
    assert list(tmp_path.rglob("seeds.uniform-*.nbi"))


KEY = """
import json
import numpy as np
from softlearn.kernels import compiled
from softlearn.kernels.seeds import uniform
compiled._SOURCES = "{sources}"
uniform(np.uint64(1))
print(json.dumps({{"hits": sum(uniform.stats.cache_hits.values())}}))
"""


def test_compiled_code_is_used_again_only_while_no_source_of_a_kernel_changes(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}

    def hits(sources: str) -> int:
        done = subprocess.run(
            [sys.executable, "-c", KEY.format(sources=sources)],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(done.stdout)["hits"]

    assert [hits(sources) for sources in ("before", "before", "after", "after")] == [0, 1, 0, 1]
