"""Some cells of a table are a table of their own, in which a slice is what it was."""

import numpy as np
import pytest

from learn.table_examples import mixture, schema_of, with_gaps
from learn.test_large import scaled_table
from softlearn.kernels.grow.from_python import take_rows
from softlearn.kernels.grow.part import masses_of_codes, statistics_of
from softlearn.stats.sub_tables import joined_tables, table_with
from softlearn.stats.table import training_table


def tables_of(name):
    if name == "scaled":
        values, schema = scaled_table(300)
    elif name == "few ones":
        rng = np.random.default_rng(0)
        values, schema = (rng.random((9, 300)) < 0.05).astype(float), schema_of("b" * 9)
    else:
        values, schema = with_gaps(mixture(name, 300), 0.1 * ("n" in name)), schema_of(name)
    return training_table(values, np.ones(values.shape[1]), schema).arrays


@pytest.mark.parametrize("name", ["scaled", "few ones", "bbbbb", "b3nb5n", "nnn"])
@pytest.mark.parametrize("step", [1, 2])
def test_a_slice_of_some_rows_and_columns_is_what_it_was(name, step):
    table = tables_of(name)
    n_rows = table.weights.size
    columns = np.arange(0, table.n_codes.size, step, dtype=np.int32)
    kept = np.arange(0, n_rows, 3, dtype=np.int32)
    cuts = np.split(kept, [0, 40])  # the first part has no rows
    some = joined_tables([table_with(table, rows, columns) for rows in cuts])
    rows, weights = np.arange(kept.size, dtype=np.int32), np.linspace(0.5, 1.0, kept.size)
    data, data_there = (
        take_rows(own, which, weights, columns) for own, which in ((table, kept), (some, rows))
    )
    for one, other in zip(data, data_there, strict=True):
        np.testing.assert_array_equal(one, other)
    which = np.ones(columns.size, bool)
    np.testing.assert_array_equal(
        statistics_of(table, data, kept, weights, columns, which),
        statistics_of(some, data_there, rows, weights, columns, which),
    )
    if table.codes.size:  # otherwise the ones are all that tests read
        np.testing.assert_array_equal(
            masses_of_codes(table, kept, weights, columns),
            masses_of_codes(some, rows, weights, columns),
        )
    assert not any(np.shares_memory(one, other) for one in some for other in table)


def test_cells_of_other_columns_stay_behind():
    table = tables_of("b3nb5n")
    some = table_with(table, np.arange(10, dtype=np.int32), np.array([1, 2], np.int32))
    assert some.dense.shape[0] == 0
    assert some.levels.shape == (1, 10)
    assert some.numbers.shape == (1, 10)
