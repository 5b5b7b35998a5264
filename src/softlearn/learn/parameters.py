"""A parameter is a field of a dataclass; metadata say which values it takes and what it means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Final

from softlearn.errors import SoftlearnError
from softlearn.learn.rules import Rule

_KEY: Final = "parameter"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """The description of a parameter.

    Attributes
    ----------
    rule
        Which values it takes.
    help
        What it means, in sentences that docs and the command line show.
    default
        Its default value.
    grid
        The values that ``tune`` tries by default; empty keeps the parameter fixed.
    wide
        The values of a wide search, such as that of ``AutoCircuit``; empty takes the grid.
    only_if
        Another parameter and the value that it must have for this one to matter.
    """

    rule: Rule
    help: str
    default: Any
    grid: tuple[object, ...] = ()
    wide: tuple[object, ...] = ()
    only_if: tuple[str, object] | None = None

    def matters(self, chosen: Mapping[str, object]) -> bool:
        """Return whether the parameter has an effect under these settings."""
        return self.only_if is None or chosen.get(self.only_if[0]) == self.only_if[1]


def parameter(
    default: Any,  # noqa: ANN401 - a field holds anything
    rule: Rule,
    help: str = "",
    *,
    grid: tuple[object, ...] = (),
    wide: tuple[object, ...] = (),
    only_if: tuple[str, object] | None = None,
) -> Any:  # noqa: ANN401 - as ``dataclasses.field``
    """Return a dataclass field with a rule; the other arguments are those of ``Parameter``."""
    known = Parameter(
        rule=rule, help=help, default=default, grid=grid, wide=wide or grid, only_if=only_if
    )
    return field(default=default, metadata={_KEY: known})


def parameters_of(owner: type) -> Mapping[str, Parameter]:
    """Return the parameters of a dataclass by name; fields without a rule are none."""
    return {one.name: one.metadata[_KEY] for one in fields(owner) if _KEY in one.metadata}


def read_parameters(given: Mapping[str, object], rules: Mapping[str, Rule]) -> dict[str, Any]:
    """Return values as learners read them, or refuse the first that is wrong."""
    for name, value in given.items():
        if not rules[name].holds(value):
            raise SoftlearnError(f"{name} must be {rules[name].allowed}, not {value!r}")
    return {name: rules[name].read(value) for name, value in given.items()}


def must_have_defaults(config: type) -> None:
    """Refuse a config class with fields that have no default."""
    bare = [
        one.name
        for one in fields(config)
        if one.default is MISSING and one.default_factory is MISSING
    ]
    if bare:
        raise SoftlearnError(f"{config.__name__}.{bare[0]} has no default; every field needs one")
