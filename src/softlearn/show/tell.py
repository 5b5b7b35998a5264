"""Summarise a model in text."""

from __future__ import annotations

from collections import Counter

from softlearn.errors import SoftlearnError
from softlearn.model import Model
from softlearn.query.dependence import dependence_bound, independent_columns
from softlearn.show.arguments import require_model
from softlearn.show.cells import over_cells, quantile_cells
from softlearn.show.dependence import compared_columns, strongest
from softlearn.show.findings import Findings, Group, Size
from softlearn.show.groups import branches
from softlearn.show.shifts import Parts
from softlearn.table.column import KINDS

_SHIFTS = 3  # columns named for each kind of rows
_PAIRS = 8


def tell(model: Model, *, n_groups: int = 4) -> Findings:
    """Summarise what a model has learnt: kinds of rows, dependent and independent columns.

    Everything is computed from the circuit, exactly; no data are needed and nothing is drawn.

    Parameters
    ----------
    model : Model
        The model; of an estimator, its ``model_``.
    n_groups : int
        How many kinds of rows to tell apart, at most; the rest are counted.

    Examples
    --------
    >>> from softlearn import Categorical, Gaussian, Model
    >>> from softlearn.show import tell
    >>> cats = Categorical("pet", {"cat": 0.9, "dog": 0.1}) * Gaussian("kg", 4, 1)
    >>> dogs = Categorical("pet", {"cat": 0.0, "dog": 1.0}) * Gaussian("kg", 20, 6)
    >>> found = tell(Model(0.5 * cats + 0.5 * dogs))
    >>> [one.words for one in found.dependencies]
    ['kg lower with pet=cat']
    """
    require_model(model)
    if isinstance(n_groups, bool) or not isinstance(n_groups, int) or n_groups < 1:
        raise SoftlearnError(f"n_groups must be a whole number, 1 or more, not {n_groups!r}")
    circuit, cells = model.circuit, quantile_cells(model)
    twin = over_cells(circuit, cells)
    kinds = branches(circuit, n_groups)
    shown, others = kinds[:n_groups], kinds[n_groups:]
    parts = Parts(circuit, twin, cells, [[circuit.root], *(branch.nodes for branch in shown)])
    groups = tuple(
        Group(branch.share, tuple(parts.shifts(1 + i, 0, _SHIFTS)))
        for i, branch in enumerate(shown)
    )
    bound = dependence_bound(twin)
    alone, compared = independent_columns(bound), compared_columns(twin, bound)
    pairs = strongest(twin, cells, compared, _PAIRS) if len(compared) > 1 else []
    return Findings(
        size=_size(model),
        groups=groups,
        n_other_groups=len(others),
        other_share=sum(branch.share for branch in others),
        dependencies=tuple(pairs),
        n_compared=len(compared),
        n_uncompared=len(cells) - len(alone) - len(compared),
        independent=tuple(model.schema.names[i] for i in alone),
    )


def _size(model: Model) -> Size:
    circuit = model.circuit
    count = Counter(column.kind for column in model.schema)
    return Size(
        columns={kind: count[kind] for kind in KINDS if count[kind]},  # type: ignore[index]
        nodes=circuit.n_nodes,
        edges=circuit.n_edges,
        parameters=circuit.n_parameters,
        depth=circuit.depth,
    )
