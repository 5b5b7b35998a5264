"""The weights of pairs of columns with two levels: dense or compressed, light or heavy."""

import numpy as np
import pytest

from kernels.kernel_sources import kernel_sources
from kernels.weighted_rows import both_forms
from softlearn.kernels.compile import allocating_kernel
from softlearn.kernels.grow import dependence
from softlearn.kernels.grow.slices import pair_sums
from stats.plain_clustering import as_matrix, compressed

pytestmark = pytest.mark.jit_off
# Below a million of weight sums are made in single precision, above in double.
UNITS = [(1e-3, 1e-5), (1.0, 1e-5), (1e9, 1e-12)]


def wrapper(sources):
    """The inner function with a doorway to Python; `sources` keeps its cache honest."""

    @allocating_kernel
    def dense_pair_sums(dense, weights, mass, out):
        assert sources
        dependence._dense_pair_sums(dense, weights, mass, out)

    return dense_pair_sums


dense_pair_sums = wrapper(kernel_sources())


def pair_weights(rows):
    """The weight of the rows with both of two columns, later × earlier."""
    both = np.zeros((rows.groups[-1], rows.groups[-1]))
    if rows.start.size > 1:
        pair_sums(rows.start, rows.feature, rows.weights, both)
    else:
        dense_pair_sums(rows.dense, rows.weights, rows.weights.sum(), both)
    return np.tril(both)


@pytest.mark.parametrize("n_rows", [1, 200, 4096, 9000])
@pytest.mark.parametrize(("unit", "error"), UNITS)
def test_weights_of_pairs_are_those_of_the_matrix(n_rows, unit, error):
    forms = both_forms(0, n_rows=n_rows)
    x = forms[0].dense.astype(float)
    for rows in forms:
        heavy = rows._replace(weights=unit * rows.weights)
        expected = np.tril((x * heavy.weights) @ x.T)
        assert pair_weights(heavy) == pytest.approx(expected, rel=error)


def test_a_row_more_or_less_is_told_apart_among_many():
    """Single precision tells 2**24 from 2**24 + 1 no more."""
    weights = np.array([2.0**24, 1.0, 1.0])
    rows = both_forms(0, n_rows=3, n_features=2)[0]
    dense = np.array([[1, 1, 1], [1, 0, 1]], np.float32)
    for form in (as_matrix(rows, dense), compressed(rows, dense)):
        found = pair_weights(form._replace(weights=weights))
        assert found[0, 0] == 2.0**24 + 2.0
        assert found[1, 0] == found[1, 1] == 2.0**24 + 1.0
