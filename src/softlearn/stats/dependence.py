"""Test which columns of a large slice depend on each other, from rows in several parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from softlearn.arrays import AnyArray, Floats, Ids, Kinds, Offsets
from softlearn.kernels.cluster.rows import RowData
from softlearn.kernels.grow.work import GrowTable, GrowthOptions, level_of
from softlearn.stats.layout import Layout
from softlearn.stats.merging import added
from softlearn.stats.parts import Share
from softlearn.stats.slice_rows import SliceRows, Weighed


def labels_of(rows: SliceRows, layout: Layout, options: GrowthOptions) -> Offsets:
    """Return a label per column, as ``softlearn.kernels.grow.dependence`` for rows in memory."""
    tests = _Tests(rows, rows.weighed(), layout, options)
    if (layout.single_of[rows.columns] >= 0).all():
        return tests.by_ones()
    (mass,) = rows.parts.total(_masses, added, rows.shares, given=(rows.columns,))
    label = np.arange(rows.columns.size)
    tested = np.flatnonzero(~layout.numeric[rows.columns]) if options.ranks else label.copy()
    if tested.size > 1:
        label[tested] = tested[tests.by_tables(mass[tested], rows.columns[tested])]
    if options.ranks:
        tests.join_by_ranks(mass, label)
    return label


class _Levels(NamedTuple):
    """How a slice joins the codes of its columns to levels; see ``join_codes``."""

    level: Kinds
    mid_rank: AnyArray
    groups: Offsets


class _Ranks(NamedTuple):
    """Which codes of its columns a slice uses; see ``codes_in_use``."""

    place: Kinds
    n_used: Offsets


@dataclass(frozen=True, eq=False)
class _Tests:
    """The tests of a slice's pairs of columns."""

    rows: SliceRows
    weighed: Weighed
    layout: Layout
    options: GrowthOptions

    @property
    def critical(self) -> Floats:
        """Critical values of chi-square, at the whole level and at half of it."""
        critical: Floats = self.options.critical[self.level]
        return critical

    @property
    def level(self) -> int:
        """The position of the significance level at which the slice is tested."""
        return level_of(self.options, self.rows.columns.size, self.weighed.mass)

    def by_ones(self) -> Offsets:
        """Test columns of two levels by the weight of the rows where both are 1."""
        from softlearn.kernels.grow.links import link_binary  # noqa: PLC0415 - loads Numba

        mass, options = self.weighed.mass, self.options
        (both,) = self.rows.parts.total(_ones, added, self.rows.data, given=(mass,))
        critical = float(self.critical[0, 1])
        return link_binary(both, mass, critical, options.least_mass, options.g_test)

    def by_tables(self, mass: Floats, columns: Ids) -> Offsets:
        """Test pairs by their tables and, with numbers, by trends."""
        # Loads Numba.
        from softlearn.kernels.grow.links import link_tables  # noqa: PLC0415
        from softlearn.kernels.grow.part import joined_levels  # noqa: PLC0415

        options, numeric = self.options, self.layout.numeric[columns]
        n_codes = self.layout.n_codes[columns]
        levels = _Levels(*joined_levels(mass, n_codes, numeric, not options.ranks))
        shares = self.rows.shares
        (sums,) = self.rows.parts.total(_level_sums, added, shares, given=(columns, levels))
        return link_tables(
            sums,
            levels.groups,
            numeric,
            self.weighed.mass / self.weighed.squares,
            self.critical,
            options.least_mass,
            options.g_test,
        )

    def join_by_ranks(self, mass: Floats, label: Offsets) -> None:
        """Join groups of dependent columns by testing the pairs with a number."""
        from softlearn.kernels.grow.part import ranks_in_use  # noqa: PLC0415 - loads Numba

        ranks = _Ranks(*ranks_in_use(mass))
        for i in np.flatnonzero(self.layout.numeric[self.rows.columns]).tolist():
            for j in sorted(self._linked(i, ranks, label)):
                label[label == label[i]] = label[j]

    def _linked(self, i: int, ranks: _Ranks, label: Offsets) -> list[int]:
        """Return the first column of each other group that depends on number i.

        One column of each group is tested at a time, so a dependent group needs few tables.
        """
        from softlearn.kernels.grow.part import is_linked_by_ranks  # noqa: PLC0415 - loads Numba

        rows, numeric = self.rows, self.layout.numeric[self.rows.columns]
        far, n_used = float(self.options.far[self.level]), ranks.n_used
        rest = [j for j in range(label.size) if label[j] != label[i] and not (numeric[j] and j > i)]
        linked: list[int] = []
        while rest:
            _, first = np.unique(label[rest], return_index=True)
            others = np.array(rest, np.int32)[np.sort(first)]
            given = (rows.columns, ranks, (i, others))
            (tables,) = rows.parts.total(_rank_tables, added, rows.shares, given=given)
            ends = np.cumsum(n_used[i] * n_used[others])[:-1]
            for j, flat in zip(others.tolist(), np.split(tables, ends), strict=True):
                table = flat.reshape(n_used[i], n_used[j])
                if is_linked_by_ranks(table, bool(numeric[j]), far, self.critical[0]):
                    linked.append(j)
            done = label[linked]
            rest = [j for j in rest if j not in others and label[j] not in done]
        return linked


def _masses(table: GrowTable, share: Share, columns: Ids) -> tuple[Floats]:
    from softlearn.kernels.grow.part import masses_of_codes  # noqa: PLC0415 - loads Numba

    return (masses_of_codes(table, *share, columns),)


def _ones(table: GrowTable, data: RowData, mass: float) -> tuple[Floats]:
    from softlearn.kernels.grow.part import pairs_of_ones  # noqa: PLC0415 - loads Numba

    return (pairs_of_ones(data, mass),)


def _level_sums(table: GrowTable, share: Share, columns: Ids, levels: _Levels) -> tuple[Floats]:
    from softlearn.kernels.grow.part import sums_of_levels  # noqa: PLC0415 - loads Numba

    level, mid_rank, groups = levels
    return (sums_of_levels(table, *share, columns, level, mid_rank, groups),)


def _rank_tables(
    table: GrowTable, share: Share, columns: Ids, ranks: _Ranks, pairs: tuple[int, Ids]
) -> tuple[Floats]:
    from softlearn.kernels.grow.part import rank_tables  # noqa: PLC0415 - loads Numba

    return (rank_tables(table, *share, columns, *ranks, *pairs),)
