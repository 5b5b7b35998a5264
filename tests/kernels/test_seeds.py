"""Seeds that depend on the place in the tree alone."""

import numpy as np
import pytest
from scipy.stats import kstest

from kernels import plain_seeds
from softlearn.kernels.seeds import child_seed, mixed, own_seeds, uniform

pytestmark = pytest.mark.jit_off


def child_seeds(seed, n):
    return [int(child_seed(np.uint64(seed), place)) for place in range(1, n + 1)]


def test_the_numbers_are_those_of_splitmix64():
    """The published outputs of seed 1234567."""
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert child_seeds(1234567, 3) == published
    assert [plain_seeds.child_seed(1234567, place) for place in (1, 2, 3)] == published


@pytest.mark.parametrize("seed", [0, 1, 2**63, 2**64 - 1])
def test_seeds_are_those_of_whole_numbers_in_python(seed):
    assert int(mixed(np.uint64(seed))) == plain_seeds.mixed(seed)
    assert uniform(np.uint64(seed)) == (plain_seeds.mixed(seed) >> 11) * 2.0**-53
    assert child_seeds(seed, 3) == [plain_seeds.child_seed(seed, i) for i in (1, 2, 3)]
    assert own_seeds(np.uint64(seed), 4).tolist() == plain_seeds.own_seeds(seed, 4)


def test_all_nodes_of_a_deep_tree_differ():
    level, seen = [7], set()
    for _ in range(14):
        seen.update(level)
        level = [child for seed in level for child in child_seeds(seed, 2)]
    assert len(seen) == 2**14 - 1


def test_seeds_of_a_node_and_its_neighbours_have_nothing_in_common():
    """Kolmogorov–Smirnov at a false-alarm rate of 1e-6, and six deviations of a correlation."""
    seeds = [seed for parent in range(5000) for seed in child_seeds(parent, 2)]
    own = [own_seeds(np.uint64(seed), 2) for seed in seeds]
    drawn = np.array([[uniform(one) for one in pair] for pair in own])
    assert ((drawn >= 0.0) & (drawn < 1.0)).all()
    assert kstest(drawn.ravel(), "uniform").pvalue > 1e-6
    pairs = [(drawn[:, 0], drawn[:, 1]), (drawn[::2, 0], drawn[1::2, 0])]
    for one, other in pairs:
        assert abs(np.corrcoef(one, other)[0, 1]) < 6 / np.sqrt(one.size)
