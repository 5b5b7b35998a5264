"""A circuit in a few numbers."""

from dataclasses import FrozenInstanceError

import pytest

from circuit_examples import mixed, paper_example
from softlearn.circuit import Categorical, Description, Gaussian, describe, flatten


def test_the_papers_example_in_numbers():
    assert describe(flatten(paper_example())) == Description(
        columns=2,
        leaves={"gaussian": 4},
        products=2,
        sums=1,
        edges=6,
        parameters=4 * 2 + 1,
        depth=2,
        bytes=7 * 1 + 8 * 8 + 6 * (4 + 8) + 4 * (4 + 1) + 5 * 8 + 8 * 8,
    )


def test_leaves_are_counted_by_family():
    assert describe(mixed()).leaves == {"categorical": 4, "gaussian": 1, "histogram": 1}


def test_parameters_are_the_free_ones():
    # flag 1, colour 3 × 1, Gaussian 2, a histogram of two bins 1; and one weight for each sum
    assert describe(mixed()).parameters == 1 + 3 + 2 + 1 + 2


def test_a_leaf_alone_has_no_depth():
    description = describe(flatten(Categorical("c", {"a": 0.5, "b": 0.5})))
    assert (description.depth, description.edges, description.parameters) == (0, 0, 1)


def test_depth_is_the_longest_path():
    inner = 0.5 * Gaussian("X", 0, 1) + 0.5 * Gaussian("X", 1, 1)
    assert describe(flatten(inner * Gaussian("Y", 0, 1))).depth == 2


def test_the_description_prints_as_a_table():
    assert str(describe(mixed())) == (
        "columns         3\n"
        "leaves          6  4 categorical, 1 gaussian, 1 histogram\n"
        "products        2\n"
        "sums            2\n"
        "edges          10\n"
        "parameters      9\n"
        "depth           3\n"
        "memory      424 B"
    )


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1 kB"),
        (999_499, "999 kB"),
        (999_500, "1 MB"),
        (47_998_000, "48 MB"),
        (1_234_000_000, "1.23 GB"),
        (5 * 10**15, "5e+03 TB"),
    ],
)
def test_memory_is_readable(n_bytes, text):
    numbers = dict.fromkeys(("columns", "products", "sums", "edges", "parameters", "depth"), 1)
    assert str(Description(leaves={}, bytes=n_bytes, **numbers)).endswith(f"  {text}")


def test_a_description_cannot_be_changed():
    description = describe(mixed())
    with pytest.raises(FrozenInstanceError):
        description.sums = 3
    with pytest.raises(TypeError):
        description.leaves["gaussian"] = 7
