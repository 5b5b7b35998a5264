"""How small twenty circuits become, and what that costs: ``python -m benchmarks.compress``.

Twenty circuits are learnt from the training split of plants, each from rows drawn with
replacement, and mixed. Parts that are hardly used or hardly differ go; what that loses is measured
on the validation and the test split. The picture goes to ``docs/pictures/compress.png``.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

from softlearn import CircuitMixture, Model, SoftLearn
from softlearn.circuit.compact import compact
from softlearn.circuit.use import expected_use
from softlearn.datasets import load_debd
from softlearn.model.compression import without_small_differences
from softlearn.show.plots import style

_DATASET, _MEMBERS = "plants", 20
_NATS = np.geomspace(1e-7, 0.1, 13)  # per row that may be lost by one change
_PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "compress.png"


class Size(NamedTuple):
    """A circuit, smaller or not."""

    n_nodes: int
    n_edges: int
    valid: float
    test: float


def main() -> None:
    """Print the sizes and losses, and draw them."""
    splits = load_debd(_DATASET)
    learner = SoftLearn(significance=0.01, n_jobs=1)
    mixture = CircuitMixture(learner, n_estimators=_MEMBERS, bootstrap=True, random_state=0)
    model = mixture.fit(splits.train).model_
    exact = compact(model.circuit)
    use = expected_use(exact)

    def size(circuit: Model) -> Size:
        return Size(
            circuit.circuit.n_nodes,
            circuit.circuit.n_edges,
            circuit.score(splits.valid),
            circuit.score(splits.test),
        )

    found = [size(model), size(Model(exact))]
    _tell("as learnt", found[0], found[0])
    _tell("equal parts shared", found[1], found[0])
    for most in _NATS:
        found.append(size(Model(without_small_differences(exact, use, float(most)))))
        _tell(f"changes below {most:.1e} nats", found[-1], found[0])
    _PICTURE.parent.mkdir(exist_ok=True)
    _drawn(found).savefig(_PICTURE, dpi=150)


def _tell(name: str, one: Size, first: Size) -> None:
    lost = f"{first.valid - one.valid:9.4f} {first.test - one.test:9.4f}"
    print(f"{name:28} {one.n_nodes:9,} nodes {one.n_edges:9,} edges, lost {lost}", flush=True)


def _drawn(found: list[Size]) -> Figure:
    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    ax = figure.add_subplot()
    style.quiet(ax, grid="y")
    first = found[0]
    nodes = [one.n_nodes for one in found]
    for name, colour, own in (
        ("validation rows", style.QUIET, [first.valid - one.valid for one in found]),
        ("test rows", style.MODEL, [first.test - one.test for one in found]),
    ):
        ax.plot(nodes, own, "o-", color=colour, markersize=4, linewidth=1.2, label=name)
    ax.set_xscale("log")
    ax.set_yscale("symlog", linthresh=0.01)
    ax.set_ylim(bottom=-0.003)
    ax.axhline(0.0, color=style.FAINT, linewidth=1.0)
    ax.set_xlabel("nodes")
    ax.set_ylabel("nats per row lost")
    style.legend(ax, loc="upper right")
    style.title(ax, f"{_MEMBERS} circuits of {_DATASET}, made smaller")
    return figure


if __name__ == "__main__":
    main()
