"""Stretches that list their values, against sums over all numbers that they hold."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softlearn.circuit import Scaled, cells_of, flatten
from softlearn.leaf import Interval, Listed
from softlearn.query import Evidence, log_likelihood, mean, sample_given, variance
from softlearn.table.find_scale import find_scale
from softlearn.table.scale import Scale
from softlearn.table.schema import Column, Schema

WHOLE = Scale(
    left=(-9.0, 0.0, 1.0, 21.0),
    right=(-1.0, 0.0, 20.0, 30.0),
    share=(0.1, 0.3, 0.4, 0.2),
    atom=(False, True, False, False),
    step=1.0,
    values=(3.0, 4.0, 11.0, 19.0, 30.0),
    stray=0.25,
)
LINE = Scale((0.0, 2.0), (2.0, 5.0), (0.4, 0.6), (False, False), values=(0.5, 2.5, 4.0), stray=0.1)
EVERY = np.arange(-12.0, 34.0)
COUNTED = Column("x", "integer", scale=WHOLE)
many = settings(max_examples=60, deadline=None)


def masses(cells):
    """The probability of every whole number in the column as a whole."""
    code = cells.code(EVERY)
    share = np.where(code < 0, 0.0, cells.share[code])
    return share * np.exp(cells.log_base_at(EVERY, code))


def test_listed_values_have_most_of_their_stretch_and_all_numbers_add_to_one():
    p = dict(zip(EVERY.tolist(), masses(cells_of(COUNTED)), strict=True))
    assert sum(p.values()) == pytest.approx(1.0, abs=1e-12)
    assert p[3.0] == pytest.approx(0.4 * (0.75 / 4 + 0.25 / 20))
    assert p[5.0] == pytest.approx(0.4 * 0.25 / 20)
    assert p[-4.0] == pytest.approx(0.1 / 9)  # a stretch that lists nothing is spread evenly


@many
@given(st.integers(-11, 32), st.integers(-11, 32))
def test_an_interval_is_the_sum_of_its_numbers(lo, hi):
    cells = cells_of(COUNTED)
    part = cells.inside(Interval(np.array(float(lo)), np.array(float(hi))))
    inside = (lo <= EVERY) & (hi >= EVERY)
    p = masses(cells) * inside
    assert part.share @ cells.share == pytest.approx(p.sum(), abs=1e-14)
    if p.sum() > 0.0:
        weight = part.share * cells.share
        centre = weight @ part.mean / weight.sum()
        assert centre == pytest.approx(p @ EVERY / p.sum())
        spread = weight @ (part.variance + (part.mean - centre) ** 2) / weight.sum()
        assert spread == pytest.approx(p @ (EVERY - centre) ** 2 / p.sum(), abs=1e-9)


@many
@given(st.lists(st.sampled_from(EVERY.tolist()), min_size=1, max_size=6))
def test_a_list_of_numbers_is_the_sum_of_its_numbers(numbers):
    cells = cells_of(COUNTED)
    part = cells.inside(Listed(np.array(numbers)))
    expected = masses(cells)[np.isin(EVERY, numbers)].sum()
    assert part.share @ cells.share == pytest.approx(expected, abs=1e-14)


@many
@given(st.floats(0.0, 1.0, exclude_max=True), st.integers(-9, 30))
def test_a_draw_inverts_the_distribution_function(uniform, hi):
    cells = cells_of(COUNTED)
    region = Interval(np.array(-np.inf), np.array(float(hi)))
    total = cells.inside(region).share @ cells.share
    x = float(cells.draw(cells.share, np.array(uniform), region))
    p = masses(cells)
    assert x <= hi
    assert p[x > EVERY].sum() - 1e-12 <= uniform * total <= p[x >= EVERY].sum() + 1e-12


def test_on_a_line_listed_values_have_a_probability_and_other_numbers_a_density():
    cells = cells_of(Column("x", "numeric", scale=LINE))
    x = np.array([0.5, 0.75, 4.0])
    score = np.log(cells.share[cells.code(x)]) + cells.log_base_at(x, cells.code(x))
    np.testing.assert_allclose(np.exp(score), [0.4 * 0.9, 0.4 * 0.1 / 2.0, 0.6 * 0.9 / 2])
    drawn = cells.draw(cells.share, np.linspace(0.0, 1.0, 10_001)[:-1], None)
    assert (np.diff(drawn) >= 0.0).all()
    assert np.isin(drawn, LINE.values).mean() == pytest.approx(0.9, abs=1e-3)


def test_queries_of_a_circuit_are_sums_over_all_numbers():
    schema = Schema((COUNTED,), "numpy")
    low, high = Scaled("x", -1.0, 0.5, atoms={0: 0.2}, own=0.1), Scaled("x", 1.0, 0.7, own=0.05)
    circuit = flatten(0.3 * low + 0.7 * high, schema)
    p = np.exp(log_likelihood(circuit, Evidence(EVERY[None])))
    assert p.sum() == pytest.approx(1.0, abs=1e-12)
    nothing = Evidence.nothing(1)
    assert mean(circuit, nothing, [0])[0, 0] == pytest.approx(p @ EVERY)
    spread = p @ (EVERY - p @ EVERY) ** 2
    assert variance(circuit, nothing, [0])[0, 0] == pytest.approx(spread)
    drawn = sample_given(circuit, nothing, np.random.default_rng(0), n_each=40_000)[0]
    found = np.bincount((drawn + 12).astype(int), minlength=EVERY.size)
    expected = 40_000 * p
    seen = expected > 5.0
    statistic = ((found - expected)[seen] ** 2 / expected[seen]).sum()
    assert statistic < 100.0, "chi-square of about 40 degrees of freedom, seed 0"
    assert not found[p == 0.0].any()


def test_values_that_come_again_and_again_are_listed():
    days = np.repeat(np.round(np.arange(600) / 599, 6), 8)
    found = find_scale(days)
    assert set(days) <= {*found.values, *found.left}
    assert 0.0 < found.stray < 0.01
    assert find_scale(np.random.default_rng(0).normal(size=900)).values == ()
    dense = np.random.default_rng(0).integers(0, 400, size=9000)
    assert find_scale(dense.astype(float), whole=True).values == ()


def test_multiples_of_ten_are_drawn_and_other_whole_numbers_stay_possible():
    tens = 10.0 * np.random.default_rng(0).integers(0, 900, size=400)
    cells = cells_of(Column("x", "integer", scale=find_scale(tens, whole=True)))
    drawn = cells.draw(cells.share, np.random.default_rng(1).random(5000), None)
    inside = (drawn >= tens.min()) & (drawn <= tens.max())
    assert (drawn[inside] % 10 == 0).mean() > 0.98
    every = np.arange(tens.min() - 5000, tens.max() + 5000)
    code = cells.code(every)
    assert (code >= 0).all()
    assert np.isfinite(cells.log_base_at(every, code)).all()
