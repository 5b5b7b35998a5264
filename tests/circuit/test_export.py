"""Circuits as graphs for other programs."""

import builtins
import shutil
import subprocess

import networkx as nx
import pytest

from circuit_examples import mixed, paper_example
from softlearn.circuit import (
    Categorical,
    Gaussian,
    Histogram,
    Leaf,
    Product,
    flatten,
    to_dot,
    to_networkx,
)
from softlearn.errors import MissingDependencyError, SoftlearnError


def label_of(leaf: Leaf) -> str:
    """The label of a circuit that is one leaf."""
    (line,) = [line for line in to_dot(flatten(leaf)).splitlines() if "n0 [" in line]
    return line.partition('label="')[2].removesuffix('"];')


def test_the_papers_example_in_dot():
    assert to_dot(flatten(paper_example())).splitlines() == [
        "digraph circuit {",
        "  node [shape=circle];",
        '  n0 [shape=box, label="X ~ Gaussian(-0.5, 1)"];',
        '  n1 [shape=box, label="Y ~ Gaussian(-2, 0.2)"];',
        '  n2 [shape=box, label="X ~ Gaussian(0.5, 1)"];',
        '  n3 [shape=box, label="Y ~ Gaussian(2, 0.2)"];',
        '  n4 [label="×"];',
        '  n5 [label="×"];',
        '  n6 [label="+"];',
        "  n4 -> n0;",
        "  n4 -> n1;",
        "  n5 -> n2;",
        "  n5 -> n3;",
        '  n6 -> n4 [label="0.5"];',
        '  n6 -> n5 [label="0.5"];',
        "}",
    ]


def test_a_categorical_leaf_shows_its_levels():
    assert label_of(Categorical("c", {"a": 0.2, "b": 0.8})) == "c ~ a 0.2, b 0.8"


def test_numbers_are_shortened():
    assert label_of(Gaussian("X", 1 / 3, 1e-20)) == "X ~ Gaussian(0.3333, 1e-20)"


def test_long_lists_are_shortened():
    leaf = Categorical("c", {f"l{i}": 0.125 for i in range(8)})
    assert label_of(leaf).endswith("l4 0.125, l5 0.125, …")


def test_a_histogram_shows_its_parameters():
    assert label_of(Histogram("h", [0, 1, 2], [0.5, 0.5])) == "h ~ Histogram(0, 1, 2, 0.5, 0.5)"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ('say "hi"', r"say \"hi\""),
        ("back\\slash", r"back\\slash"),
        ("ends in \\", r"ends in \\"),
        ("two\nlines", r"two\nlines"),
        ("two\r\nlines", r"two\nlines"),
        ("not a \\n line", r"not a \\n line"),
        ("a & b &lt;", "a &amp; b &amp;lt;"),
        ("größe ☃ 年齢", "größe ☃ 年齢"),
        ("<b>", "<b>"),
        ("nul\0tab\t", r"nul\\u0000tab\\u0009"),
        ("half \ud800", r"half \\ud800"),
        ("", ""),
    ],
)
def test_names_are_escaped(name, shown):
    assert label_of(Gaussian(name, 0, 1)) == f"{shown} ~ Gaussian(0, 1)"
    assert label_of(Categorical("c", {name: 1.0})) == f"c ~ {shown} 1"


def test_dot_text_can_be_written_to_a_file(tmp_path):
    text = to_dot(flatten(Gaussian("\ud800☃", 0, 1)))
    (tmp_path / "circuit.dot").write_text(text, encoding="utf-8")


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz")
def test_graphviz_reads_the_text():
    text = to_dot(flatten(Gaussian('"\\', 0, 1) * Categorical("&\n\0", {"\\": 1})))
    subprocess.run(["dot", "-Tsvg"], input=text.encode(), check=True, capture_output=True)


def test_a_large_circuit_is_refused_with_the_remedy():
    circuit = flatten(Product(tuple(Gaussian(f"x{i}", 0, 1) for i in range(500))))
    with pytest.raises(SoftlearnError, match=r"has 501 nodes.* more than 500 .*max_nodes=None"):
        to_dot(circuit)


def test_the_limit_can_be_moved_or_lifted():
    circuit = flatten(Product(tuple(Gaussian(f"x{i}", 0, 1) for i in range(500))))
    assert to_dot(circuit, max_nodes=501) == to_dot(circuit, max_nodes=None)
    with pytest.raises(SoftlearnError, match="more than 6 "):
        to_dot(flatten(paper_example()), max_nodes=6)


def test_networkx_sees_every_node_and_edge():
    circuit = mixed()
    graph = to_networkx(circuit)
    assert list(graph.nodes) == list(range(circuit.n_nodes))
    assert set(graph.edges) == set(
        zip(circuit.edge_owner.tolist(), circuit.child.tolist(), strict=True)
    )
    assert nx.is_directed_acyclic_graph(graph)
    assert nx.descendants(graph, circuit.root) == set(range(circuit.root))
    assert nx.dag_longest_path_length(graph, weight=None, default_weight=1) == circuit.depth


def test_networkx_nodes_and_edges_say_what_they_are():
    graph = to_networkx(flatten(paper_example()))
    assert graph.nodes[1] == {
        "kind": "leaf",
        "column": "Y",
        "family": "gaussian",
        "params": (-2.0, 0.2),
    }
    assert graph.nodes[4] == {"kind": "product"}
    assert graph.nodes[6] == {"kind": "sum"}
    assert graph.edges[6, 5] == {"weight": 0.5}
    assert graph.edges[4, 0] == {"weight": 1.0}


def test_a_branch_named_twice_has_the_weight_of_both():
    twice = Gaussian("X", 0, 1)
    graph = to_networkx(flatten(0.25 * twice + 0.5 * twice + 0.25 * Gaussian("X", 1, 1)))
    assert graph.edges[2, 0] == {"weight": 0.75}


def test_without_networkx_the_command_to_install_it_is_told(monkeypatch):
    plain_import = builtins.__import__

    def without_networkx(name: str, *args: object, **kwargs: object) -> object:
        if name == "networkx":
            raise ImportError(name)
        return plain_import(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_networkx)
    with pytest.raises(MissingDependencyError, match=r'pip install "softlearn\[graph\]"'):
        to_networkx(flatten(paper_example()))
