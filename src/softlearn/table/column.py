"""One column of a table: its name, its kind, its domain, and how it was stored."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeAlias, get_args

from softlearn.errors import SchemaError
from softlearn.table.scale import Scale
from softlearn.table.storage import is_known_dtype

Kind: TypeAlias = Literal["categorical", "boolean", "integer", "numeric", "datetime"]
Level: TypeAlias = str | int | float | bool | None
Missing: TypeAlias = Literal["unobserved", "modelled"]

KINDS: tuple[str, ...] = get_args(Kind)
MISSING: tuple[str, ...] = get_args(Missing)
LARGEST_EXACT_INTEGER = 2**53  # beyond it float64, as which cells are read, skips integers

_SINCE_VERSION_2 = {"scale", "missing"}  # fields that older model files do not have
_LEVEL_TYPES = (str, int, float, bool)
_TRUTHS: tuple[tuple[Level, Level], ...] = ((False, True), (0, 1))
_SHOWN = 60  # letters of a dtype in a message
_PREVIEWED = 8  # levels shown in messages; enough to see a typing error


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A column's name, kind and domain.

    Parameters
    ----------
    name : str
        The name, unique in its schema.
    kind : {"categorical", "boolean", "integer", "numeric", "datetime"}
        What the values mean. Categorical and boolean columns are discrete.
    levels : tuple of str, int, float or bool, all of one type
        The domain of a discrete column, in order; empty for the other kinds. A boolean column has
        ``(False, True)``, which is the default, or ``(0, 1)``. If missing cells are modelled,
        ``None`` is the last level.
    dtype : str
        How the column was stored; with ``Schema.frame`` enough to store it so again.
    reason : str
        Why the column has this kind, for people.
    scale : Scale, optional
        How the values of a number or time lie on the line; without one they are taken as plain
        numbers, as ``Gaussian`` leaves need it.
    missing : {"unobserved", "modelled"}
        How a missing cell is treated: as unobserved, or as a value with a probability.
    """

    name: str
    kind: Kind
    levels: tuple[Level, ...] = ()
    dtype: str = ""
    reason: str = ""
    scale: Scale | None = None
    missing: Missing = "unobserved"

    def __post_init__(self) -> None:
        self._check_types()
        if self.kind == "boolean" and not self.levels:
            object.__setattr__(self, "levels", _TRUTHS[0])
        if self.is_discrete and self.missing == "modelled" and None not in self.levels:
            object.__setattr__(self, "levels", (*self.levels, None))
        self._check_levels()
        self._check_kind()
        self._check_scale()

    @property
    def is_discrete(self) -> bool:
        """True for categorical and boolean columns."""
        return self.kind in ("categorical", "boolean")

    @property
    def n_levels(self) -> int:
        """The number of levels, "missing" among them if it is modelled; 0 for numbers."""
        return len(self.levels)

    @property
    def missing_code(self) -> float:
        """How a missing cell is encoded where missing cells are modelled."""
        return float(self.n_levels - 1) if self.is_discrete else math.inf

    @property
    def score_counts(self) -> str:
        """What a score counts of a cell: its probability, or its density per unit."""
        if self.scale is None:
            return "probability" if self.is_discrete else "density"
        if self.scale.step:
            return "probability"
        stretches = zip(self.scale.left, self.scale.right, self.scale.share, strict=True)
        rest = sum(share for left, right, share in stretches if left < right)
        return "density" if rest > 0.5 else "probability"

    @property
    def in_words(self) -> str:
        """The levels but for a missing cell, or what is known of the scale, for people."""
        if self.is_discrete:
            return preview_levels([level for level in self.levels if level is not None])
        return "plain numbers" if self.scale is None else self.scale.reason or "any number"

    def as_kind(self, kind: str) -> Column:
        """Return this column as another kind, if that is possible without its cells."""
        if kind == self.kind:
            return self
        if kind not in KINDS:
            raise self._error(f"has the unknown kind {kind!r}; known are {', '.join(KINDS)}")
        levels = self.levels if kind in ("categorical", "boolean") else ()
        if not self._can_become(kind):
            raise self._error(
                f"is {self.kind} and cannot become {kind} without its cells; give a Column with "
                "its levels, or use infer_schema(frame, overrides={...})"
            )
        keeps = kind == "numeric" and self.kind == "integer"
        return replace(
            self,
            kind=kind,  # type: ignore[arg-type]
            levels=levels,
            scale=self.scale if keeps else None,
            reason="chosen by the caller",
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the column as JSON-safe values."""
        return {field.name: getattr(self, field.name) for field in fields(self)} | {
            "levels": list(self.levels),
            "scale": None if self.scale is None else self.scale.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: object) -> Column:
        """Build a column from ``to_dict``'s values, which are checked."""
        expected = {field.name for field in fields(cls)}
        if not isinstance(data, Mapping) or set(data) | _SINCE_VERSION_2 != expected:
            shown = sorted(map(str, data)) if isinstance(data, Mapping) else type(data).__name__
            label = data.get("name") if isinstance(data, Mapping) else None
            raise SchemaError(
                f"column {label!r}: expected the keys {sorted(expected)}, got {shown}"
            )
        if not isinstance(data["levels"], list):
            raise SchemaError(f"column {data['name']!r}: levels must be a list")
        dtype = data["dtype"]
        if isinstance(dtype, str) and not is_known_dtype(dtype):
            raise SchemaError(f"column {data['name']!r}: no table stores {dtype[:_SHOWN]!r}")
        scale = data.get("scale")
        read = None if scale is None else Scale.from_dict(scale)
        return cls(**{**data, "levels": tuple(data["levels"]), "scale": read})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Column) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> tuple[object, ...]:
        """Return the values that equality compares; types too, because 1 == 1.0 == True."""
        level_types = tuple(map(type, self.levels))
        parts = (self.name, self.kind, self.levels, level_types, self.dtype, self.reason)
        return (*parts, self.scale, self.missing)

    def _can_become(self, kind: str) -> bool:
        numbers = {"integer", "numeric"}
        if kind == "categorical":
            return self.kind == "boolean"
        if kind == "boolean":
            return self.levels in _TRUTHS
        if kind in numbers and self.kind in numbers:
            return True
        labelled = "category" in self.dtype or "dictionary" in self.dtype
        return (
            kind in numbers
            and not labelled
            and bool(self.levels)
            and type(self.levels[0]) in (int, float)
        )

    def _check_types(self) -> None:
        if not isinstance(self.name, str):
            raise SchemaError(f"a column's name must be text, not {self.name!r}")
        if self.kind not in KINDS:
            raise self._error(f"has the unknown kind {self.kind!r}; known are {', '.join(KINDS)}")
        if not isinstance(self.levels, tuple):
            raise self._error(f"needs its levels as a tuple, not a {type(self.levels).__name__}")
        for field in ("dtype", "reason"):
            if not isinstance(getattr(self, field), str):
                raise self._error(f"needs text as {field}, not {getattr(self, field)!r}")
        if self.missing not in MISSING:
            raise self._error(f"has missing {self.missing!r}; known are {', '.join(MISSING)}")
        if self.scale is not None and not isinstance(self.scale, Scale):
            raise self._error(f"needs a Scale as scale, not {self.scale!r}")

    def _check_levels(self) -> None:
        types = {type(level) for level in self.levels if level is not None}
        if len(types) > 1 or not types.issubset(_LEVEL_TYPES):
            found = ", ".join(sorted(kind.__name__ for kind in types))
            raise self._error(f"needs levels of one type out of str, int, float, bool; got {found}")
        for level in self.levels:
            if isinstance(level, float) and not math.isfinite(level):
                raise self._error(f"has the level {level!r}, which is not a finite number")
            if isinstance(level, int) and abs(level) > LARGEST_EXACT_INTEGER:
                raise self._error(f"has the level {level!r}, beyond 2**53; make the levels text")
        if len(set(self.levels)) < len(self.levels):
            repeated = [level for level, count in Counter(self.levels).items() if count > 1]
            raise self._error(f"has the level {repeated[0]!r} more than once")

    def _check_kind(self) -> None:
        if None in self.levels and (self.missing != "modelled" or self.levels[-1] is not None):
            raise self._error("has the level None, which stands last where missing is 'modelled'")
        present = self.levels[:-1] if self.levels[-1:] == (None,) else self.levels
        if self.kind == "categorical" and not present:
            raise self._error("is categorical but has no levels")
        if self.kind == "boolean" and not any(
            present == pair and type(present[0]) is type(pair[0]) for pair in _TRUTHS
        ):
            raise self._error(f"is boolean: levels (False, True) or (0, 1), not {self.levels!r}")
        if not self.is_discrete and self.levels:
            raise self._error(f"is {self.kind} and takes no levels")

    def _check_scale(self) -> None:
        if self.is_discrete and self.scale is not None:
            raise self._error(f"is {self.kind} and takes no scale")
        if not self.is_discrete and self.scale is None and self.missing == "modelled":
            raise self._error("needs a scale if its missing cells are modelled")
        whole = self.scale is None or self.scale.step == round(self.scale.step) > 0
        if self.kind == "integer" and not whole:
            raise self._error("is integer, so the step of its scale is a whole number")

    def _error(self, what: str) -> SchemaError:
        return SchemaError(f"column {self.name!r} {what}")


def preview_levels(levels: Sequence[object]) -> str:
    """Return the first few levels as text, with the count of the rest."""
    shown = ", ".join(map(repr, levels[:_PREVIEWED]))
    rest = len(levels) - _PREVIEWED
    return f"{shown}, … {rest} more" if rest > 0 else shown
