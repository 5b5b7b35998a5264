"""The number of threads, and the caller's own threads, change no answer."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import zoo
from random_circuits import random_circuit, random_evidence
from softlearn.errors import EvidenceError
from softlearn.query import (
    Evidence,
    log_likelihood,
    posteriors,
    reference,
    sample,
    sample_given,
)

N_ROWS = 20_011  # a prime, and enough for several tasks


@pytest.fixture(scope="module", params=[(6, 0), (4, 2)], ids=["discrete", "mixed"])
def question(request):
    rng = np.random.default_rng(11)
    circuit = random_circuit(rng, *request.param, depth=3, n_countable=request.param[1])
    return circuit, random_evidence(circuit, rng, N_ROWS)


@pytest.mark.parametrize("n_threads", [1, 2, 8, None])
def test_log_likelihood_equals_the_plain_one(question, n_threads):
    circuit, evidence = question
    np.testing.assert_allclose(
        log_likelihood(circuit, evidence, n_threads=n_threads),
        reference.log_likelihood(circuit, evidence),
        rtol=1e-10,
        atol=1e-10,
    )


@pytest.mark.parametrize("n_threads", [2, 8])
def test_posteriors_do_not_depend_on_the_number_of_threads(question, n_threads):
    circuit, evidence = question
    one = posteriors(circuit, evidence, impossible="nan", n_threads=1)
    more = posteriors(circuit, evidence, impossible="nan", n_threads=n_threads)
    np.testing.assert_allclose(more.table, one.table, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("n_threads", [2, 8])
def test_draws_do_not_depend_on_the_number_of_threads(question, n_threads):
    circuit, evidence = question
    one, more = (
        sample_given(circuit, evidence, np.random.default_rng(5), impossible="nan", n_threads=n)
        for n in (1, n_threads)
    )
    np.testing.assert_array_equal(one, more)
    few, several = (
        sample(circuit, 10_000, np.random.default_rng(6), n_threads=n) for n in (1, n_threads)
    )
    np.testing.assert_array_equal(few, several)


def test_several_callers_may_ask_at_once():
    """Also for the first time: all of them meet a circuit without a plan."""
    rng = np.random.default_rng(12)
    circuit = random_circuit(rng, 5, 1, depth=3)
    parts = [random_evidence(circuit, rng, 500) for _ in range(16)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda part: log_likelihood(circuit, part), parts))
    for part, answer in zip(parts, answers, strict=True):
        np.testing.assert_allclose(
            answer, reference.log_likelihood(circuit, part), rtol=1e-10, atol=1e-10
        )


def test_fewer_than_one_thread_is_refused():
    circuit = zoo.coin()
    with pytest.raises(EvidenceError, match="n_threads must be at least 1"):
        log_likelihood(circuit, Evidence.nothing(1), n_threads=0)
