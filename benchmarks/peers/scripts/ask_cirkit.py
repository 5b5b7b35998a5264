"""Ask cirkit: circuits over Chow-Liu trees of the same rows, with about as many weights.

It has no posteriors of all columns; draws are few, as one takes some hundredths of a second. An
epoch is a pass of Adam through all rows, in batches.
"""

import numpy as np
import torch
from cirkit.backend.torch.queries import IntegrateQuery, SamplingQuery
from cirkit.pipeline import PipelineContext
from cirkit.templates import data_modalities
from timing import given, tell

TWO_LEVELS = {"name": "categorical", "args": {"num_categories": 2}}
TREES = {
    "tree, two levels": (TWO_LEVELS, 10),
    "hidden Chow-Liu tree, two levels": (TWO_LEVELS, 10),
    "tree, Gaussian": ({"name": "gaussian", "args": {}}, 22),
}
BATCHES = (256, 1024, 4096)
DRAWS = 16

torch.set_num_threads(1)
torch.set_grad_enabled(False)
torch.manual_seed(0)


def best_batch(run, n):
    """Return a function that asks for all rows in the batches that are quickest."""
    import time  # noqa: PLC0415

    def all_rows(size):
        return np.concatenate([run(slice(at, at + size)) for at in range(0, n, size)])

    seconds = {}
    for size in BATCHES:
        all_rows(size)
        begin = time.process_time()
        all_rows(size)
        seconds[size] = time.process_time() - begin
    return lambda: all_rows(min(seconds, key=seconds.get))


def epoch(circuit, rows):
    """Return a function that learns from all rows once, by gradients."""
    optimiser = torch.optim.Adam(circuit.parameters(), lr=0.01)

    def run():
        with torch.enable_grad():
            for batch in rows.split(BATCHES[0]):
                optimiser.zero_grad()
                (-circuit(batch).mean()).backward()
                optimiser.step()

    return run


for name, (leaves, units) in TREES.items():
    data = given(name)
    two_levels = leaves["name"] == "categorical"
    rows = torch.tensor(data["rows"], dtype=torch.int64 if two_levels else torch.float32)
    gone = torch.tensor(np.isnan(data["gaps"]))
    symbolic = data_modalities.tabular_data(
        "chow-liu-tree",
        data=rows[:2000],
        input_layers=leaves,
        num_input_units=units,
        sum_product_layer="cp",
        num_sum_units=units,
    )
    circuit = PipelineContext(backend="torch", semiring="lse-sum", fold=True, optimize=True)
    circuit = circuit.compile(symbolic).eval()
    size = sum(weights.numel() for weights in circuit.parameters())
    n, without = len(rows), IntegrateQuery(circuit)
    whole = best_batch(lambda at, c=circuit, x=rows: c(x[at]).numpy().ravel(), n)
    half = best_batch(
        lambda at, q=without, x=rows, m=gone: q(x[at], integrate_vars=m[at]).numpy().ravel(), n
    )
    tell("cirkit", name, "likelihood", n, whole, size=size)
    tell("cirkit", name, "marginal", n, half, size=size)
    draw = SamplingQuery(circuit)
    tell("cirkit", name, "sample", DRAWS, lambda q=draw: q(DRAWS), repeats=1, size=size)
    tell("cirkit", name, "epoch", n, epoch(circuit, rows), size=size)
