"""One number for each pair of columns."""

from __future__ import annotations

from dataclasses import dataclass

from softlearn.arrays import Floats
from softlearn.markup import table
from softlearn.table.schema import unknown_name


@dataclass(frozen=True, eq=False, repr=False)
class PairTable:
    """A symmetric matrix with the names of its columns; ``table["a", "b"]`` reads one entry.

    Attributes
    ----------
    names
        The columns, in the order of the matrix.
    matrix
        (columns, columns).
    """

    names: tuple[str, ...]
    matrix: Floats

    def __getitem__(self, pair: tuple[str, str]) -> float:
        first, second = (self._position(name) for name in pair)
        return float(self.matrix[first, second])

    def _position(self, name: str) -> int:
        if name not in self.names:
            raise unknown_name(name, self.names)
        return self.names.index(name)

    def _repr_html_(self) -> str:
        rows = [
            (name, *(f"{value:.4g}" for value in row))
            for name, row in zip(self.names, self.matrix.tolist(), strict=True)
        ]
        return table(("", *self.names), rows)

    def __repr__(self) -> str:
        width = max(10, *map(len, self.names))
        lines = [" " * width + "".join(f"  {name:>{width}}" for name in self.names)]
        for name, row in zip(self.names, self.matrix.tolist(), strict=True):
            lines.append(f"{name:<{width}}" + "".join(f"  {value:>{width}.4g}" for value in row))
        return "\n".join(lines)
