"""The statistics that each leaf needs, and their layout in memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softlearn.arrays import Floats, Ids, Kinds, Offsets
from softlearn.circuit import Circuit, cells_of, same_shape
from softlearn.errors import SoftlearnError
from softlearn.kernels.circuit.program import LeafReach, LeafTotals
from softlearn.leaf import Categorical, Gaussian, Histogram, Scaled
from softlearn.query.coding import code_counts
from softlearn.query.evidence import Evidence
from softlearn.query.shape import Shape


@dataclass(frozen=True)
class Coding:
    """How values of a column become codes: levels, cells or the bins of a histogram."""

    column: int
    edges: tuple[float, ...] = ()  # of the bins


@dataclass(frozen=True, eq=False)
class LeafLayout:
    """The layout of the statistics of all leaves of a circuit.

    Leaves of categories, cells and bins have a weight for each code; Gaussian ones have moments.

    Attributes
    ----------
    codings
        The ways in which values become codes.
    coding, n_codes, code_start
        (leaves,) the coding of each leaf, -1 for moments; its number of codes; where they begin.
    centre
        (leaves,) the centre of moments: the leaf's own mean, so that little cancels.
    n_totals
        The number of codes of all leaves.
    """

    codings: list[Coding]
    coding: Ids
    n_codes: Ids
    code_start: Offsets
    centre: Floats
    n_totals: int

    @staticmethod
    def of(circuit: Circuit) -> LeafLayout:
        """Return the layout for a circuit."""
        known: dict[Coding, int] = {}
        coding = np.full(circuit.n_leaves, -1, np.int32)
        n_codes = np.zeros(circuit.n_leaves, np.int32)
        centre = np.zeros(circuit.n_leaves)
        of_column = code_counts(circuit.schema)
        for family, where, params in same_shape(circuit, np.arange(circuit.n_leaves)):
            columns = circuit.leaf_column[where]
            if isinstance(family, Gaussian):
                centre[where] = params[:, 0]
            elif isinstance(family, Histogram):
                n_edges = (params.shape[1] + 1) // 2
                n_codes[where] = n_edges - 1
                for leaf, column, own in zip(where, columns, params[:, :n_edges], strict=True):
                    key = Coding(int(column), tuple(own.tolist()))
                    coding[leaf] = known.setdefault(key, len(known))
            elif isinstance(family, Categorical | Scaled):
                n_codes[where] = of_column[columns]
                number = np.full(of_column.size, -1, np.int32)
                for column in np.unique(columns).tolist():
                    number[column] = known.setdefault(Coding(column), len(known))
                coding[where] = number[columns]
            else:
                raise SoftlearnError(f"{family.name} leaves have no statistics of flows")
        ends = np.cumsum(n_codes, dtype=np.int64)
        return LeafLayout(list(known), coding, n_codes, ends - n_codes, centre, int(ends[-1]))

    def reach(self, circuit: Circuit, shape: Shape) -> LeafReach:
        """Return the layout as kernels read it, with the places of leaves in a trace."""
        order = np.argsort(shape.reach.leaf, kind="stable")
        counts = np.bincount(shape.reach.leaf, minlength=circuit.n_leaves)
        rest_start, is_rest = self._rest(circuit)
        binned = np.array([bool(coding.edges) for coding in self.codings] + [True])
        return LeafReach(
            start=np.concatenate([[0], np.cumsum(counts)]),
            slot=shape.reach.slot[order],
            coding=self.coding,
            n_codes=self.n_codes,
            code_start=self.code_start,
            centre=self.centre,
            by_factors=(~binned[self.coding]).astype(np.uint8),
            rest_start=rest_start,
            is_rest=is_rest,
        )

    def _rest(self, circuit: Circuit) -> tuple[Offsets, Kinds]:
        """Return where the cells of each coding begin, if it has some, and which have a score."""
        start = np.full(len(self.codings) + 1, -1, np.int64)
        flags = [np.zeros(0, np.uint8)]
        for number, coding in enumerate(self.codings):
            cells = cells_of(circuit.schema.columns[coding.column])
            if cells is not None:
                start[number] = sum(flag.size for flag in flags)
                flags.append((~cells.atom).astype(np.uint8))
        return start, np.concatenate(flags)

    def codes(self, circuit: Circuit, evidence: Evidence) -> Ids:
        """Return the codes of all known values, (codings, rows); -1 where there is none."""
        found = np.full((len(self.codings), evidence.n_rows), -1, np.int32)
        known = np.ascontiguousarray(evidence.values)
        for row, coding in zip(found, self.codings, strict=True):
            column = circuit.schema.columns[coding.column]
            values, cells = known[coding.column], cells_of(column)
            if cells is not None:
                row[:] = cells.code(values)
                continue
            if coding.edges:
                inside = (values >= coding.edges[0]) & (values <= coding.edges[-1])
                row[inside] = np.searchsorted(coding.edges[1:-1], values[inside], side="right")
            else:
                inside = (values >= 0) & (values < column.n_levels)
                np.copyto(row, values, where=inside, casting="unsafe")
        return found

    def no_rows(self) -> LeafTotals:
        """Return totals of zero."""
        return LeafTotals(np.zeros(self.n_totals), *np.zeros((4, self.coding.size)))
