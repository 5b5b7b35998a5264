"""Convert a grown PSDD to nodes of a circuit."""

from __future__ import annotations

import numpy as np

from softlearn.circuit.draft import Draft
from softlearn.leaf import CATEGORICAL
from softlearn.learn.psdd.growing import Growing


def add_to(draft: Draft, grown: Growing) -> int:
    """Add a PSDD to a draft; return the id of its root."""
    tree, ids = grown.tree, dict[int, int]()
    leaves: dict[tuple[int, bytes], int] = {}
    used = [node for node, edges in enumerate(grown.edges) if edges]
    for node in sorted(used, key=lambda node: grown.places[node]):  # children first
        place, edges = grown.places[node], grown.edges[node]
        shares = grown.shares()[edges]
        if tree.left[place] < 0:
            column = int(tree.order[tree.first[place]])
            params = np.zeros(draft.schema.columns[column].n_levels)
            params[[grown.children[edge][0] for edge in edges]] = shares
            key = column, params.tobytes()
            if key not in leaves:
                leaves[key] = int(draft.add_leaves(column, CATEGORICAL, params[None])[0])
            ids[node] = leaves[key]
        else:
            pairs = [grown.children[edge] for edge in edges]
            products = [draft.add_product([ids[prime], ids[sub]]) for prime, sub in pairs]
            ids[node] = draft.add_sum(products, shares / shares.sum())
    return ids[grown.root]
