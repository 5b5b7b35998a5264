"""Seeds that depend on the place in the tree alone."""

import numpy as np
from scipy.stats import kstest
from softlearn.learn.seeds import child_seeds, first_seed, uniforms


def test_the_same_seed_has_the_same_children():
    assert child_seeds(7, 3) == child_seeds(7, 3)
    assert child_seeds(7, 3) == child_seeds(7, 5)[:3]


def test_all_nodes_of_a_deep_tree_differ():
    level, seen = [first_seed(np.random.SeedSequence(0))], set()
    for _ in range(14):
        seen.update(level)
        level = [child for seed in level for child in child_seeds(seed, 2)]
    assert len(seen) == 2**14 - 1


def test_a_node_and_its_neighbours_draw_uniform_numbers_that_have_nothing_in_common():
    """Kolmogorov–Smirnov at a false-alarm rate of 1e-6, and six deviations of a correlation."""
    seeds = [seed for parent in range(5000) for seed in child_seeds(parent, 2)]
    drawn = np.array([uniforms(seed, 2) for seed in seeds])
    assert ((drawn >= 0.0) & (drawn < 1.0)).all()
    assert kstest(drawn.ravel(), "uniform").pvalue > 1e-6
    pairs = [(drawn[:, 0], drawn[:, 1]), (drawn[::2, 0], drawn[1::2, 0])]
    for one, other in pairs:
        assert abs(np.corrcoef(one, other)[0, 1]) < 6 / np.sqrt(one.size)
