"""The registry entry of a learner: texts, accepted tables, properties and parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, Literal, TypeAlias, TypeVar

import numpy as np

from softlearn.circuit import Circuit
from softlearn.errors import SoftlearnError
from softlearn.learn.blocks import Block, check_blocks, missing_cells
from softlearn.learn.config import GrowConfig
from softlearn.learn.parameters import Parameter, must_have_defaults, parameters_of
from softlearn.learn.watch import Engine
from softlearn.table.column import KINDS
from softlearn.table.schema import Schema

Config = TypeVar("Config")
Learner: TypeAlias = Callable[
    [Sequence[Block], Schema, Config, np.random.SeedSequence, Engine], Circuit
]

DISCRETE: Final = frozenset({"boolean", "categorical"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Takes:
    """The tables that a learner can learn from.

    Attributes
    ----------
    kinds
        Kinds of columns.
    missing
        Whether cells may be missing.
    weights
        Whether rows may have weights; without, a row counts once or, at weight 0, not at all.
    """

    kinds: frozenset[str] = frozenset(KINDS)
    missing: bool = True
    weights: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Promises:
    """What holds for every circuit that a learner makes.

    Attributes
    ----------
    structure
        Whether every node has one parent, or parts of the circuit may be shared.
    deterministic
        Whether, if all columns are discrete, at most one child of a sum is possible for every row.
    smooth_leaves
        Whether, with the default parameters, a row is possible if each of its cells has been seen.
    grower
        Whether it grows by splitting rows and columns: it then has all of ``GrowerConfig``.
    """

    structure: Literal["tree", "graph"] = "graph"
    deterministic: bool = False
    smooth_leaves: bool = True
    grower: bool = False


@dataclass(frozen=True, kw_only=True)
class Entry(Generic[Config]):
    """A learner as everybody reads it: estimators, command line, docs and tests.

    Attributes
    ----------
    estimator
        The name of its estimator, such as ``SoftLearn``.
    label
        Its name in tables and text.
    summary
        What it does, in one line that ends with a full stop.
    description
        How it does it, in a few sentences.
    advice
        When to take it.
    reference
        Where it comes from.
    function
        A pure function from rows, a schema, a config and a seed to a circuit. The engine says how
        many threads work and has the progress callback; neither may change the result.
    config
        A frozen dataclass; ``parameter`` makes the fields that callers may choose, and all have
        defaults. Fields without a rule are left to programs that use the learner directly.
    takes
        The tables that it can learn from; others are refused before it sees them.
    promises
        What holds for its circuits.
    choices
        Of growers whose rows may lie anywhere: their choices with nothing left open; None for a
        config with which rows have to be in one place.
    example
        Lines of a doctest for the estimator.
    """

    estimator: str
    label: str
    summary: str
    description: str
    advice: str
    reference: str
    function: Learner[Config]
    config: type[Config]
    takes: Takes = field(default_factory=Takes)
    promises: Promises = field(default_factory=Promises)
    choices: Callable[[Config, Schema], GrowConfig | None] | None = None
    example: str = ""

    def __post_init__(self) -> None:
        must_have_defaults(self.config)

    @property
    def name(self) -> str:
        """Its name on the command line."""
        return self.estimator.lower()

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """The parameters that users may set, by name."""
        return parameters_of(self.config)

    def grid(
        self, chosen: Mapping[str, object], *, wide: bool = False
    ) -> dict[str, tuple[object, ...]]:
        """Return the values to try of the parameters that have an effect under these settings.

        A wide grid keeps parameters whose values are words, such as the clustering, as chosen.
        """
        grids = {
            name: one.wide if wide and not one.rule.words else one.grid
            for name, one in self.parameters.items()
            if one.matters(chosen)
        }
        return {name: values for name, values in grids.items() if values}

    def learn(
        self,
        blocks: Sequence[Block],
        schema: Schema,
        config: Config,
        seed: np.random.SeedSequence,
        engine: Engine,
    ) -> Circuit:
        """Return the circuit learnt from blocks of rows, or refuse unsuitable tables."""
        if not blocks:
            raise SoftlearnError("learning needs at least two rows; there is no block of them")
        self.check_kinds(schema)
        check_blocks(blocks, schema)
        if not self.takes.missing:
            self._check_missing(blocks, schema)
        if not self.takes.weights:
            blocks = [self._unweighted(block) for block in blocks]
        return self.function(blocks, schema, config, seed, engine)

    def check_kinds(self, schema: Schema) -> None:
        """Refuse columns of kinds that it does not take."""
        wrong = [column for column in schema if column.kind not in self.takes.kinds]
        if wrong:
            kinds = [kind for kind in KINDS if kind in self.takes.kinds]
            raise SoftlearnError(
                f"{self.label} accepts only {_listed(kinds)} columns, and column "
                f"{wrong[0].name!r} is {wrong[0].kind}; leave it out, choose another kind in "
                "schema, or use another learner"
            )

    def _check_missing(self, blocks: Sequence[Block], schema: Schema) -> None:
        for i, column in enumerate(schema):
            n_missing = sum(
                int(np.count_nonzero(missing_cells(column, values[i])[weights > 0.0]))
                for values, weights in blocks
            )
            if n_missing:
                raise SoftlearnError(
                    f"{self.label} does not accept missing cells, and column {column.name!r} has "
                    f"{n_missing}; fill them, for instance with CircuitImputer, leave the column "
                    "out, or use another learner"
                )

    def _unweighted(self, block: Block) -> Block:
        counted = block.weights > 0.0
        if (block.weights[counted] != 1.0).any():
            other = block.weights[counted & (block.weights != 1.0)][0]
            raise SoftlearnError(
                f"{self.label} accepts only the weights 0 and 1, and a row has {other:g}; "
                "use another learner"
            )
        return block if counted.all() else Block(block.values[:, counted], block.weights[counted])


def _listed(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
