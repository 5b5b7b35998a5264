"""Validate a circuit, and report every rule that it breaks, not only the first."""

from __future__ import annotations

import os
from array import array

import numpy as np

from softlearn.arrays import AnyArray, Bools
from softlearn.circuit.columns import same_shape
from softlearn.circuit.flat import LEAF, PRODUCT, SUM, Circuit
from softlearn.errors import CircuitError
from softlearn.leaf import FAMILIES, SCALED
from softlearn.numeric_policy import NORMALISATION_TOLERANCE
from softlearn.table.schema import Schema

_NAMES_SHOWN = 5  # column names in one message
_MOST_TOLD = 1_000  # violations of one rule
_NODES_AT_ONCE = 65_536  # nodes that are Python numbers at a time
_PRIME = 2**61 - 1
_MOST_SCOPE_BITS = 1 << 28  # of all scopes of a broken circuit; 32 MB


def validate(circuit: Circuit) -> None:
    """Raise a ``CircuitError`` that lists every violation, if there is any."""
    found = violations(circuit)
    if found:
        raise CircuitError(found)


def violations(circuit: Circuit) -> list[str]:
    """Return a sentence for every rule that the circuit breaks; none means that it is sound.

    If one rule is broken in thousands of places, the first thousand are listed.

    Checked are the arrays' shapes and ranges, the order of nodes, one root, no unreachable node,
    normalised finite weights, sound leaf parameters, smoothness and decomposability.
    """
    broken = _shape_violations(circuit) or _order_violations(circuit)
    if broken:  # the rules below read the arrays, which would not be safe
        return broken
    return [
        *_reachability_violations(circuit),
        *_weight_violations(circuit),
        *_leaf_violations(circuit),
        *_scope_violations(circuit),
    ]


def parameter_violations(circuit: Circuit) -> list[str]:
    """Return a sentence for every rule that the numbers break; the structure must be sound."""
    leaves = np.arange(circuit.n_leaves)
    return [*_weight_violations(circuit), *_parameter_violations(circuit, leaves)]


def _shape_violations(c: Circuit) -> list[str]:
    """Check that the arrays have the sizes that they promise each other."""
    if any(getattr(c, name).ndim != 1 for name in c.__dataclass_fields__ if name != "schema"):
        return ["every array must have one dimension"]
    if c.kind.size == 0 or c.leaf_column.size == 0:
        return ["a circuit needs at least one leaf"]
    expected = {
        "edge_start": (c.edge_start.size, c.kind.size + 1),
        "weight": (c.weight.size, c.child.size),
        "leaf_family": (c.leaf_family.size, c.leaf_column.size),
        "param_start": (c.param_start.size, c.leaf_column.size + 1),
    }
    found = [
        f"{name} has {size} entries, expected {wanted}"
        for name, (size, wanted) in expected.items()
        if size != wanted
    ]
    for name, start, size in (
        ("edge_start", c.edge_start, c.child.size),
        ("param_start", c.param_start, c.params.size),
    ):
        # Compared, not subtracted: differences of hostile 64-bit numbers wrap around.
        falls = (start[1:] < start[:-1]).any()
        if start.size == 0 or start[0] != 0 or start[-1] != size or falls:
            found.append(f"{name} must rise from 0 to {size}")
    return found


def _order_violations(c: Circuit) -> list[str]:
    """Check kinds, ids and the order: leaves first by family, children before parents."""
    unknown = _first(c.kind > SUM)
    found = [f"node {i}: unknown kind {c.kind[i]}" for i in unknown]
    is_leaf = c.kind == LEAF
    if not is_leaf[: c.n_leaves].all() or is_leaf[c.n_leaves :].any():
        found.append(f"the first {c.n_leaves} nodes, and only they, must be leaves")
    n_edges, owner = np.diff(c.edge_start), c.edge_owner
    found += [f"leaf {i} has children" for i in _first(is_leaf & (n_edges > 0))]
    found += [f"node {i} has no children" for i in _first(~is_leaf & (n_edges == 0))]
    backwards = _first((c.child >= owner) | (c.child < 0))
    found += [f"node {owner[e]}: child {c.child[e]} does not come before it" for e in backwards]
    return found + _leaf_id_violations(c)


def _leaf_id_violations(c: Circuit) -> list[str]:
    """Check the families and columns that leaves point at."""
    unknown = _first(c.leaf_family >= len(FAMILIES))
    found = [f"leaf {i}: unknown family {c.leaf_family[i]}" for i in unknown]
    if (c.leaf_family[1:] < c.leaf_family[:-1]).any():
        found.append("leaves must be grouped by family")
    outside = _first((c.leaf_column < 0) | (c.leaf_column >= len(c.schema)))
    return found + [f"leaf {i}: there is no column {c.leaf_column[i]}" for i in outside]


def _reachability_violations(c: Circuit) -> list[str]:
    """Check that every node has a way up to the root, and every column a leaf.

    Parents come after children, so a walk upwards ends in a node without parents: only the root
    may be one.
    """
    has_parent = np.zeros(c.n_nodes, dtype=bool)
    has_parent[c.child] = True
    has_parent[c.root] = True
    found = [f"node {i} cannot be reached from the root" for i in _first(~has_parent)]
    used = np.bincount(c.leaf_column, minlength=len(c.schema)) > 0
    unused = [c.schema.columns[i].name for i in _first(~used)]
    return found + [f"column {name!r} has no leaf" for name in unused]


def _weight_violations(c: Circuit) -> list[str]:
    owner = c.edge_owner
    bad = ~np.isfinite(c.weight) | (c.weight < 0.0)
    found = [f"node {owner[e]}: an edge weighs {c.weight[e]}" for e in _first(bad)]
    is_sum = c.kind == SUM
    odd = ~is_sum[owner] & (c.weight != 1.0) & ~bad
    found += [f"product {owner[e]}: an edge weighs {c.weight[e]}, not 1" for e in _first(odd)]
    total = np.bincount(owner, np.where(bad, 0.0, c.weight), c.n_nodes)
    off = is_sum & (np.abs(total - 1.0) > NORMALISATION_TOLERANCE)
    off[owner[bad]] = False  # told above
    return found + [f"sum {i}: its weights add to {total[i]:.12g}" for i in _first(off)]


def _leaf_violations(c: Circuit) -> list[str]:
    """Check that leaves suit their columns, and ask each family about its leaves' parameters."""
    columns = c.schema.columns
    discrete = np.array([column.is_discrete for column in columns])[c.leaf_column]
    scaled = np.array([column.scale is not None for column in columns])[c.leaf_column]
    suits = discrete == np.array([family.discrete for family in FAMILIES])[c.leaf_family]
    suits &= scaled == (c.leaf_family == FAMILIES.index(SCALED))
    found = []
    for leaf in _first(~suits):
        column, family = columns[c.leaf_column[leaf]], FAMILIES[c.leaf_family[leaf]]
        scale = f" {'without' if column.scale is None else 'with'} a scale"
        found.append(
            f"leaf {leaf}: a {family.name} leaf cannot model the {column.kind} column "
            f"{column.name!r}" + ("" if column.is_discrete or family.discrete else scale)
        )
    return found + _parameter_violations(c, np.flatnonzero(suits))


def _parameter_violations(c: Circuit, leaves: AnyArray) -> list[str]:
    """Ask the families, one matrix of equally shaped leaves at a time."""
    columns = c.schema.columns
    n_levels = np.array([column.n_levels for column in columns])[c.leaf_column[leaves]]
    found = []
    for family, group, params in same_shape(c, leaves):
        for levels in np.unique(n_levels[group]).tolist():
            mine = np.flatnonzero(n_levels[group] == levels)
            for first in range(0, mine.size, _NODES_AT_ONCE):
                block = mine[first : first + _NODES_AT_ONCE]
                some = leaves[group[block]]
                found += [
                    f"leaf {some[i]} over {columns[c.leaf_column[some[i]]].name!r}: {reason}"
                    for i, reason in family.violations(params[block], levels)
                ]
                if len(found) > _MOST_TOLD:
                    return found[:_MOST_TOLD]
    return found


def _first(wrong: Bools) -> AnyArray:
    """Return where the first few are that are wrong: a broken file may hold millions."""
    return np.flatnonzero(wrong)[:_MOST_TOLD]


def _scope_violations(c: Circuit) -> list[str]:
    """Check smoothness and decomposability; exact scopes are only made to tell what is wrong."""
    if _scopes_are_sound(c):
        return []
    if c.n_nodes * len(c.schema) > _MOST_SCOPE_BITS:
        return ["it is not smooth, or not decomposable"]
    return _told_scopes(c)


def _scopes_are_sound(c: Circuit) -> bool:
    """Return whether all scopes are right, in time and memory that are linear in the circuit.

    Each column has a random number. A node is known by how many leaves every row meets below it,
    and by the sum of their columns' numbers. Children of a sum must agree in both. Then a column
    that children of a product share is counted twice up to the root, where each must be counted
    once. That other sums are equal by accident is as likely as guessing the numbers, which are new
    each time.
    """
    n_columns = len(c.schema)
    drawn = np.frombuffer(os.urandom(8 * n_columns), dtype=np.uint64)
    numbers = (drawn % np.uint64(_PRIME)).tolist()
    n_met, known_by = array("q", bytes(8 * c.n_nodes)), array("q", bytes(8 * c.n_nodes))
    for leaf, column in enumerate(c.leaf_column.tolist()):
        n_met[leaf], known_by[leaf] = 1, numbers[column]
    for first in range(c.n_leaves, c.n_nodes, _NODES_AT_ONCE):
        end = min(first + _NODES_AT_ONCE, c.n_nodes)
        starts = c.edge_start[first : end + 1].tolist()
        children = c.child[starts[0] : starts[-1]].tolist()
        is_product = (c.kind[first:end] == PRODUCT).tolist()
        for place, product in enumerate(is_product):
            below = children[starts[place] - starts[0] : starts[place + 1] - starts[0]]
            met, known = n_met[below[0]], known_by[below[0]]
            for child in below[1:]:
                if product:
                    met, known = met + n_met[child], (known + known_by[child]) % _PRIME
                elif met != n_met[child] or known != known_by[child]:
                    return False
            if met > n_columns:
                return False
            n_met[first + place], known_by[first + place] = met, known
    return n_met[c.root] == n_columns and known_by[c.root] == sum(numbers) % _PRIME


def _told_scopes(c: Circuit) -> list[str]:
    """Return what is wrong with the scopes.

    A scope is a Python integer with one bit a column. Scopes are dropped after their last reader.
    """
    found: list[str] = []
    columns, starts, children = c.leaf_column.tolist(), c.edge_start.tolist(), c.child.tolist()
    is_product = (c.kind == PRODUCT).tolist()
    readers = np.bincount(c.child, minlength=c.n_nodes).tolist()
    scopes = [0] * c.n_nodes
    for node in range(c.n_leaves, c.n_nodes):
        below = children[starts[node] : starts[node + 1]]
        own = [scopes[i] if i >= c.n_leaves else 1 << columns[i] for i in below]
        scopes[node], wrong = _product_scope(own) if is_product[node] else _sum_scope(own)
        if wrong:
            found.append(_scope_reason(node, is_product[node], wrong, c.schema))
        for child in below:
            readers[child] -= 1
            if not readers[child]:
                scopes[child] = 0
    return found


def _product_scope(scopes: list[int]) -> tuple[int, int]:
    """Return the union of the children's scopes, and what more than one of them covers."""
    union = overlap = 0
    for scope in scopes:
        overlap |= union & scope
        union |= scope
    return union, overlap


def _sum_scope(scopes: list[int]) -> tuple[int, int]:
    """Return the union of the children's scopes, and what not all of them cover."""
    union, gaps = scopes[0], 0
    for scope in scopes:
        gaps |= scope ^ union
        union |= scope
    return union, gaps


def _scope_reason(node: int, is_product: bool, wrong: int, schema: Schema) -> str:
    """Say which columns are wrong; a scope may hold very many, so only a few are looked up."""
    names: list[str] = []
    more = wrong
    while more and len(names) < _NAMES_SHOWN:
        lowest = more & -more
        names.append(repr(schema.columns[lowest.bit_length() - 1].name))
        more ^= lowest
    named = ", ".join(names) + (f" and {more.bit_count()} more" if more else "")
    if is_product:
        return f"product {node} is not decomposable: its children share {named}"
    return f"sum {node} is not smooth: not all its children cover {named}"
