"""Ask deeprob-kit about the very same trees; it has no posteriors of all columns."""

import numpy as np
from deeprob.spn.algorithms.inference import log_likelihood
from deeprob.spn.algorithms.sampling import sample
from deeprob.spn.structure.leaf import Bernoulli, Gaussian
from deeprob.spn.structure.node import Product, Sum, assign_ids
from timing import given, tell

SUM = 2


def built(data, *, two_levels):
    """Return the circuit as deeprob's nodes."""
    nodes = []
    for column, (first, second) in zip(data["leaf_column"], data["params"], strict=True):
        leaf = (
            Bernoulli(int(column), p=second) if two_levels else Gaussian(int(column), first, second)
        )
        nodes.append(leaf)
    start, child, weight = data["edge_start"], data["child"], data["weight"]
    for node in range(len(nodes), len(data["kind"])):
        edges = slice(start[node], start[node + 1])
        below = [nodes[c] for c in child[edges]]
        if data["kind"][node] == SUM:
            nodes.append(Sum(children=below, weights=weight[edges]))
        else:
            nodes.append(Product(children=below))
    return assign_ids(nodes[-1])


for name in ("tree, two levels", "tree, Gaussian"):
    data = given(name)
    root = built(data, two_levels="two" in name)
    size, some = len(data["child"]), slice(0, 1024)
    rows, gaps = data["rows"][some], data["gaps"][some]
    nothing = np.full((256, rows.shape[1]), np.nan)
    runs = {"likelihood": rows, "marginal": gaps}
    for query, asked in runs.items():
        run = lambda x=asked: log_likelihood(root, x)  # noqa: E731, B023
        tell("deeprob-kit", name, query, len(asked), run, size=size)
    tell("deeprob-kit", name, "sample", len(nothing), lambda: sample(root, nothing), size=size)  # noqa: B023
