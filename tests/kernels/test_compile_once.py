"""Whatever the caller's arrays look like, each kernel is compiled for one signature."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from random_circuits import random_circuit, random_evidence
from softlearn.query import Evidence, log_likelihood

TESTS = str(Path(__file__).parents[1])

# In a process of its own: other tests call kernels one by one, with integers of other types.
SCORING = f"""
import sys
sys.path[:0] = [{TESTS!r}, {TESTS + "/kernels"!r}]
import numpy as np
import zoo
from random_circuits import random_circuit, random_evidence
from test_compile_once import layouts
from softlearn.query import Evidence, log_likelihood, posteriors, sample_given

rng = np.random.default_rng(0)
for circuit in (zoo.xor(), zoo.gaussian_pair(), random_circuit(rng, 4, 2, depth=3)):
    evidence = random_evidence(circuit, rng, 20)
    for values in layouts(evidence.values):
        given = Evidence(values, evidence.sets, evidence.intervals)
        log_likelihood(circuit, given)
        posteriors(circuit, given, impossible="nan")
        sample_given(circuit, given, rng, n_each=np.int64(2), impossible="nan")
"""

# Tables that are dense and listed, binary and mixed; choices as users write them.
LEARNING = f"""
import sys
sys.path[:0] = [{TESTS!r}, {TESTS + "/kernels"!r}]
import numpy as np
from learn.table_examples import learn, mixture, schema_of, with_gaps

rare = (np.random.default_rng(0).random((8, 200)) < 0.06).astype(float)
rare[1] = rare[0]
tables = [("bbbb", mixture("bbbb", 200)), ("b" * 8, rare), ("9999", mixture("9999", 200))]
tables += [("b3nn", with_gaps(mixture("b3nn", 200), share)) for share in (0.0, 0.2)]
for kinds, values in tables:
    for learner, own in (("softlearn", {{"beta": 40}}), ("learnspn", {{}})):
        for choices in ({{"clustering": "kmeans"}}, {{"smoothing": 1, "max_iter": 9}}):
            learn(learner, values, schema_of(kinds), significance=0.1, **own, **choices)
    frozen = values.copy()
    frozen.flags.writeable = False
    learn("softlearn", np.asfortranarray(frozen), schema_of(kinds), significance=0.1, n_jobs=2)
"""

COUNTING = """
import importlib, json, pkgutil
import softlearn.kernels
from numba.types import unliteral
from softlearn.kernels.parts import KernelCompiler
counts = {}
for module in pkgutil.walk_packages(softlearn.kernels.__path__, "softlearn.kernels."):
    for name, item in vars(importlib.import_module(module.name)).items():
        if not hasattr(item, "signatures") or item.py_func.__module__ != module.name:
            continue
        # Inner functions have signatures only if their callers did not come from the disk.
        if item._compiler.pipeline_class is KernelCompiler:
            # To begin with, the 0 from which a loop counts up is a type of its own.
            different = {tuple(map(unliteral, types)) for types in item.signatures}
            counts[module.name.split(".", 2)[2] + "." + name] = len(different)
print(json.dumps(counts))
"""


def layouts(values):
    """The same matrix as numpy may hand it over."""
    yield np.ascontiguousarray(values)
    yield np.asfortranarray(values)
    wide = np.full((values.shape[0], 2 * values.shape[1]), np.nan)
    wide[:, ::2] = values
    yield wide[:, ::2]
    tall = np.repeat(values, 2, axis=0)
    yield tall[::2]
    frozen = values.copy()
    frozen.flags.writeable = False
    yield frozen
    yield np.broadcast_to(values[:, :1], values.shape)


def signatures_after(script):
    """How many signatures each kernel was compiled for."""
    done = subprocess.run(
        [sys.executable, "-c", script + COUNTING], capture_output=True, text=True, check=True
    )
    counts: dict[str, int] = json.loads(done.stdout)
    return counts


def test_questions_compile_one_signature_for_each_kernel():
    counts = signatures_after(SCORING)
    for name in ("upward.advance", "downward.spread", "posterior.collect", "draw.descend"):
        assert counts["circuit." + name] == 1
    assert {name: count for name, count in counts.items() if count > 1} == {}


def test_learning_compiles_one_signature_for_each_kernel():
    counts = signatures_after(LEARNING)
    assert counts["grow.growth.grow_slices"] == 1
    assert {name: count for name, count in counts.items() if count > 1} == {}


@pytest.mark.parametrize("position", range(6))
def test_layouts_of_the_evidence_change_no_answer(position):
    rng = np.random.default_rng(1)
    circuit = random_circuit(rng, 4, 2, depth=3)
    evidence = random_evidence(circuit, rng, 30)
    values = list(layouts(evidence.values))[position]
    masks = {c: np.asfortranarray(mask) for c, mask in evidence.sets.items()}
    plain = Evidence(np.array(values), evidence.sets, evidence.intervals)
    np.testing.assert_array_equal(
        log_likelihood(circuit, Evidence(values, masks, evidence.intervals)),
        log_likelihood(circuit, plain),
    )
