"""Bisection over many rows at once equals one searchsorted a row."""

from __future__ import annotations

import numpy as np
import pytest

from softlearn.leaf.lookup import pick, rank


@pytest.mark.parametrize("entries", [1, 2, 3, 4, 7, 8, 9, 31, 32])
def test_rank_equals_searchsorted(entries):
    rng = np.random.default_rng(entries)
    rows = np.sort(rng.integers(0, 20, (5, entries)).astype(float), axis=-1)
    values = np.concatenate([np.arange(-1.0, 21.0, 0.5), [-np.inf, np.inf]])
    expected = [np.searchsorted(row, values, side="right") for row in rows]
    np.testing.assert_array_equal(rank(rows[:, None, :], values[None, :]), expected)


def test_nan_ranks_below_everything():
    assert rank(np.array([-np.inf, 0.0, 1.0]), np.array([np.nan])).tolist() == [0]


def test_pick_reads_rows_that_broadcast():
    table = np.arange(12.0).reshape(3, 1, 4)[:, :, ::-1]
    position = np.array([[0, 3]])
    np.testing.assert_array_equal(pick(table, position), [[3, 0], [7, 4], [11, 8]])
