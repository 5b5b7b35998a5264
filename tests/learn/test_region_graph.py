"""Region graphs: every split is a partition, parts come before wholes, the last region has all."""

import numpy as np
import pytest

from softlearn.learn.region_graph import poon_domingos, random_trees


def must_be_sound(graph, n_columns):
    assert graph.regions[-1] == tuple(range(n_columns))
    used = {len(graph.regions) - 1}
    for i, (region, splits) in enumerate(zip(graph.regions, graph.partitions, strict=True)):
        assert region == tuple(sorted(set(region)))
        for one, other in splits:
            assert max(one, other) < i
            assert sorted(graph.regions[one] + graph.regions[other]) == list(region)
            used |= {one, other}
    assert used == set(range(len(graph.regions)))


@pytest.mark.parametrize("n_columns", [1, 2, 3, 7, 16])
@pytest.mark.parametrize("depth", [0, 1, 3, 9])
def test_random_trees_halve_regions(n_columns, depth):
    graph = random_trees(n_columns, depth, 4, np.random.default_rng(0))
    must_be_sound(graph, n_columns)
    smallest = [r for r, splits in zip(graph.regions, graph.partitions, strict=True) if not splits]
    if n_columns == 1 or depth == 0:
        assert smallest == [tuple(range(n_columns))]
    else:
        assert len(graph.partitions[-1]) == 4
        assert all(len(splits) < 2 for splits in graph.partitions[:-1])
        assert max(map(len, smallest)) <= max(1, -(-n_columns // 2**depth))
        assert sum(map(len, smallest)) == 4 * n_columns


def test_random_trees_differ():
    graph = random_trees(16, 2, 3, np.random.default_rng(0))
    halves = {graph.regions[one] for one, _ in graph.partitions[-1]}
    assert len(halves) == 3


@pytest.mark.parametrize("shape", [(1,), (5,), (12,), (3, 4), (2, 2, 3)])
@pytest.mark.parametrize("n_pieces", [1, 3, 20])
def test_boxes_are_cut_at_every_place(shape, n_pieces):
    must_be_sound(poon_domingos(shape, n_pieces), int(np.prod(shape)))


def test_stretches_of_columns_in_a_row_are_shared():
    graph = poon_domingos((4,), 4)
    assert len(graph.regions) == 4 * 5 // 2
    assert len(set(graph.regions)) == len(graph.regions)
    assert len(graph.partitions[-1]) == 3
    image = poon_domingos((2, 2), 2)
    assert set(image.regions) == {
        (0,), (1,), (2,), (3,), (0, 1), (2, 3), (0, 2), (1, 3), (0, 1, 2, 3),
    }  # fmt: skip
