"""Automatic model search: find settings, learn many circuits, and mix them."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Self

import numpy as np

from softlearn.errors import SoftlearnError
from softlearn.estimators.circuit_estimator import n_threads
from softlearn.estimators.density_estimator import DensityEstimator
from softlearn.estimators.parameters import (
    LEARNER_NAMES,
    N_JOBS,
    RANDOM_STATE,
    SCHEMA,
    UNKNOWN,
    VERBOSE,
    read_seed,
    read_training_weights,
)
from softlearn.estimators.progress import search_line
from softlearn.estimators.search_report import SearchReport
from softlearn.estimators.table_estimator import as_table
from softlearn.learn import Block
from softlearn.learn.parameters import parameter
from softlearn.learn.rules import flag, number, one_of, or_none, whole
from softlearn.learn.search import Bounds, Goal, Options, Workers, search
from softlearn.model import Model
from softlearn.model.given import Frame, Unknown
from softlearn.model.randomness import RandomState
from softlearn.numeric_policy import HELD_OUT_SHARE
from softlearn.table import Schema, encode, infer_schema
from softlearn.table.choice import Choice
from softlearn.table.column import Missing
from softlearn.table.frames import open_frame

_DEFAULT_SECONDS = 60.0


@dataclass(eq=False, repr=False)
class AutoCircuit(DensityEstimator):
    """Find good settings, learn many circuits, and mix them into one model.

    Learners and settings are tried on a part of the rows, and the better ones on more rows. With
    the best settings of each learner, more circuits are learnt, from all rows and from rows drawn
    with replacement, and weighted by their fit to held-out rows, as long as the score improves.
    Finally the circuits are learnt again from all rows. A mixture of circuits is a circuit, so the
    result has all methods of a model. Ctrl-C stops the search and keeps the best model so far.
    While a Dask client is open, its workers learn circuits in parallel; without a time budget the
    model is the same.

    With ``goal="samples"`` there is no search: many circuits with many clusters per split are
    learnt, and averaged with equal weights. Rows drawn from that are harder to tell from real ones.

    Parameters
    ----------
    time_budget : float, optional
        The time limit in seconds; a running fit may be cancelled. With None only ``max_fits``
        limits the work, and the same ``random_state`` gives the same model.
    goal : {"likelihood", "samples"}
        What the model is for: the best likelihood of new rows, or realistic drawn rows.
    max_fits : int, optional
        The maximum number of circuits that are learnt, not counting the final ones from all rows.
    max_members : int
        The maximum number of circuits in the mixture.
    held_out : float
        The share of the rows that is held out for validation; more for tables below 500 rows. For
        very small tables there is no search, and the result is ``SoftLearn`` with its defaults.
    refit : bool
        Whether the circuits are finally learnt again from all rows, including held-out ones.
    learners : list of names of learners, optional
        The learners to try; by default all that accept the table. With ``goal="samples"`` all
        circuits are learnt by ``SoftLearn``, and this must be left out.
    random_state : int or numpy.random.Generator, optional
        The source of randomness.
    n_jobs : int, optional
        The number of threads per fit; by default one per core. It does not change the model, unless
        there is a time budget.
    verbose : {0, 1}
        Whether a terminal shows the best score so far and the time left.
    schema : Schema or mapping of column name to kind, Column or mapping, optional
        What the columns are, as in ``SoftLearn``.
    missing : {"unobserved", "modelled"}
        How a missing cell is treated, as in ``SoftLearn``.
    unknown : {"error", "missing"}
        Whether an unknown level is an error, or treated as missing, as in ``SoftLearn``.

    Attributes
    ----------
    model_ : Model
        The mixture: all circuits under one sum.
    report_ : SearchReport
        The log of the search; ``report_.frame()`` is a table of it, and
        ``softlearn.show.plots.search(report_)`` a plot.
    schema_, n_features_in_, feature_names_in_
        As in ``SoftLearn``.

    Examples
    --------
    >>> import numpy as np
    >>> from softlearn import AutoCircuit
    >>> rng = np.random.default_rng(0)
    >>> table = rng.normal(np.where(rng.random(300) < 0.5, -3, 3)[:, None], size=(300, 2))
    >>> learnt = AutoCircuit(time_budget=None, max_fits=8, random_state=0).fit(table)
    >>> learnt.model_.probability({"1": (0, None)}, given={"0": (1, None)}) > 0.9
    True
    >>> len(learnt.report_.table) >= 8
    True
    """

    time_budget: float | None = parameter(
        _DEFAULT_SECONDS, or_none(number("a number of seconds above 0", lambda x: x > 0.0))
    )
    _: KW_ONLY
    goal: Goal = parameter("likelihood", one_of("likelihood", "samples"))
    max_fits: int | None = parameter(None, or_none(whole(1)))
    max_members: int = parameter(50, whole(1))
    held_out: float = parameter(
        HELD_OUT_SHARE, number("a number above 0 and below 1", lambda x: 0.0 < x < 1.0)
    )
    refit: bool = parameter(True, flag())
    learners: Sequence[str] | None = parameter(None, LEARNER_NAMES)
    random_state: RandomState = parameter(None, RANDOM_STATE)
    n_jobs: int | None = parameter(None, N_JOBS)
    verbose: int = parameter(0, VERBOSE)
    schema: Schema | Mapping[str, Choice] | None = parameter(None, SCHEMA)
    missing: Missing = parameter("unobserved", one_of("unobserved", "modelled"))
    unknown: Unknown = parameter("error", UNKNOWN)

    def fit(
        self,
        X: Frame,  # noqa: N803
        y: object = None,
        sample_weight: object = None,
        *,
        valid: Frame | None = None,
    ) -> Self:
        """Search for the best model of a table.

        Parameters
        ----------
        X : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array
            At least two rows, which may have missing cells.
        y : ignored
            A target is a column like any other: keep it in ``X``.
        sample_weight : array of shape (rows,), optional
            The weight of each row: 2 counts it twice, 0 ignores it.
        valid : frame, optional
            Validation rows, which are never learnt from; by default some rows of ``X`` are held
            out.
        """
        chosen = self._read_parameters()
        if chosen["goal"] == "samples" and self.learners is not None:
            raise SoftlearnError(
                'learners are chosen for likelihood; with goal="samples" leave them out'
            )
        table = self._first_table(X)
        weights = read_training_weights(sample_weight, open_frame(table).n_rows)
        schema = self.schema
        if not isinstance(schema, Schema):
            schema = infer_schema(table, overrides=schema, missing=self.missing, weights=weights)
        rows = Block(encode(table, schema, unknown=self.unknown), weights)
        judge = None if valid is None else self._judge(valid, schema)
        bounds = Bounds(
            seconds=chosen["time_budget"],
            max_fits=chosen["max_fits"],
            max_members=chosen["max_members"],
        )
        seed = read_seed(self.random_state)
        with search_line(self.verbose) as watch:
            options = Options(
                goal=chosen["goal"],
                held_out=chosen["held_out"],
                refit=chosen["refit"],
                learners=chosen["learners"],
                n_jobs=n_threads(self.n_jobs),
                watch=watch,
                workers=_workers(),
            )
            found = search(schema, rows, judge, bounds, options=options, seed=seed)
        if found.ended == "interrupted":
            warnings.warn("the search was interrupted; the best model so far is kept", stacklevel=2)
        self.model_ = Model(found.circuit)
        self.report_ = SearchReport.of(found, open_frame(table).library)
        self.schema_ = schema
        self._remember_columns(table)
        return self

    def _judge(self, valid: object, schema: Schema) -> Block:
        table = as_table(valid)
        n_rows = open_frame(table).n_rows
        if not n_rows:
            raise SoftlearnError("valid has no rows, so no model can be chosen by them")
        values = encode(table, schema, unknown=self.unknown)
        return Block(values, np.ones(n_rows))


def _workers() -> Workers | None:
    """Return the workers of a Dask client, if one is open."""
    if "distributed" not in sys.modules:  # which nobody can have opened then
        return None
    from softlearn.scale import search_workers  # noqa: PLC0415 - loads Dask

    return search_workers()
