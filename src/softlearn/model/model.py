"""``Model``: a circuit and its schema, queried by column names and frames."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit import (
    Circuit,
    Description,
    Node,
    describe,
    load_circuit,
    save_circuit,
)
from softlearn.circuit.file import circuit_from_bytes, circuit_to_bytes
from softlearn.errors import MissingDependencyError, SoftlearnError
from softlearn.markup import Html, block
from softlearn.model.asking import Conditions
from softlearn.model.completion import (
    Completed,
    Method,
    completed,
    filling,
    imputed,
    rounded,
)
from softlearn.model.compression import Compressed, compressed_circuit
from softlearn.model.fine_tuning import Sources, fine_tuned_circuit
from softlearn.model.given import (
    Extra,
    Frame,
    Impossible,
    Unknown,
    encoded_batches,
    read_frame,
    read_given,
)
from softlearn.model.making import SchemaLike, with_schema, written_by_hand
from softlearn.model.questions import Questions
from softlearn.model.randomness import RandomState, generator
from softlearn.model.summary import column_lines
from softlearn.numeric_policy import LAPLACE_SMOOTHING
from softlearn.query import Evidence, log_likelihood, sample_given
from softlearn.table import decode, encode
from softlearn.table.from_lists import frame_from_lists
from softlearn.table.partitioned import is_partitioned

MOST_CELLS = 2**37  # drawn at once; they take a tebibyte


class Model(Questions):
    """The joint distribution of a table's columns, and all queries on it.

    Evidence is given as ``{column: known}``, where ``known`` is a value, a set or list of levels,
    an interval ``(lo, hi)``, which includes both ends and has ``None`` for an open one, or ``None``
    for no evidence. In integer columns ``(30, 40)`` means the whole numbers from 30 to 40.

    Parameters
    ----------
    circuit : Node or Circuit
        A circuit written by hand, such as ``0.3 * a + 0.7 * b``, or a flat one.
    schema : Schema or mapping of column name to kind or Column, optional
        What the columns are; a mapping overrides some of them, as in ``{"age": "integer"}``. By
        default the circuit's schema, which for a circuit written by hand follows from its leaves.

    Attributes
    ----------
    circuit : Circuit
        The flat circuit, with ``n_nodes``, ``n_edges``, ``n_parameters`` and ``depth``.

    Examples
    --------
    >>> from softlearn import Gaussian, Model
    >>> left = Gaussian("x", -0.5, 1) * Gaussian("y", -2, 0.2)
    >>> right = Gaussian("x", 0.5, 1) * Gaussian("y", 2, 0.2)
    >>> model = Model(0.5 * left + 0.5 * right)
    >>> round(model.expectation("x", given={"y": (0, None)}), 6)
    0.5
    """

    def __init__(
        self,
        circuit: Node | Circuit,
        schema: SchemaLike | None = None,
    ) -> None:
        if isinstance(circuit, Node):
            self.circuit = written_by_hand(circuit, schema)
        elif isinstance(circuit, Circuit):
            self.circuit = circuit if schema is None else with_schema(circuit, schema)
        else:
            raise SoftlearnError(
                f"Model takes a circuit, not a {type(circuit).__name__}; a mixture is written as a "
                "sum, as in 0.3 * a + 0.7 * b"
            )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to one file, by custom ``*.safetensors``; ``softlearn.load`` reads it."""
        save_circuit(path, self.circuit)

    def describe(self) -> Description:
        """Return the circuit in a few numbers; printing them gives a small table."""
        return describe(self.circuit)

    def describe_columns(self, *, n_informative: int = 2) -> Frame:
        """Return a table with a line for each column, similar to pandas' ``describe``.

        It holds the kind and scale of a column, the probability that a cell is missing, mean,
        standard deviation and quantiles of numbers, the most likely level, and the most informative
        other columns. The median of a column of times is in ``top``, like a level.

        Parameters
        ----------
        n_informative : int
            How many other columns to name, with their mutual information in bits; plain numbers
            without a scale are left out of it. 0 saves the time of comparing all pairs.

        Returns
        -------
        frame
            Of the schema's library; pandas for NumPy.
        """
        lines = column_lines(self.circuit, self.distributions(), n_informative)
        return frame_from_lists(lines, self.schema.frame)

    def score_samples(
        self, frame: Frame, *, unknown: Unknown = "error", extra: Extra = "error"
    ) -> Floats:
        """Return the log-density of each row, (rows,); missing cells are summed out.

        Parameters
        ----------
        frame : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array
            Named columns in any order; the columns of an array are matched by position. For a Dask
            DataFrame or Array the result is a Dask Series or Array.
        unknown : {"error", "missing"}
            Whether an unknown level is an error, or treated as missing.
        extra : {"error", "ignore"}
            Whether columns that are not in the model are an error, or ignored.
        """
        if is_partitioned(frame):
            from softlearn.scale import answer, numbers  # noqa: PLC0415 - loads Dask

            how: Any = {"unknown": unknown, "extra": extra}
            lazily: Floats = answer(self, "score_samples", frame, numbers("log_density"), **how)
            return lazily
        batches = encoded_batches(frame, self.schema, unknown=unknown, extra=extra)
        return np.concatenate([log_likelihood(self.circuit, batch) for batch in batches])

    def score(self, frame: Frame, *, unknown: Unknown = "error", extra: Extra = "error") -> float:
        """Return the mean log-density of the rows, in nats; as ``score_samples``."""
        scores = np.asarray(self.score_samples(frame, unknown=unknown, extra=extra))
        if not scores.size:
            raise SoftlearnError("the table has no rows, so there is no mean to take")
        return float(scores.mean())

    def sample(
        self,
        n: int = 1,
        given: Conditions | Frame | None = None,
        random_state: RandomState = None,
        *,
        impossible: Impossible = "error",
        unknown: Unknown = "error",
        partition_rows: int | None = None,
    ) -> Frame:
        """Return rows drawn from the exact conditional distribution, as the schema's frame.

        Parameters
        ----------
        n : int
            How many rows; if a frame is given, how many for each of its rows, side by side.
        given : dict or frame, optional
            Evidence; drawn rows contain the given values.
        random_state : int or numpy.random.Generator, optional
            The source of randomness; the same seed draws the same rows.
        impossible : {"error", "nan"}
            Whether a condition of probability zero is an error or gives missing cells.
        unknown : {"error", "missing"}
            Whether an unknown level in a given frame is an error, or treated as missing.
        partition_rows : int, optional
            Return a Dask DataFrame, or Array, with this number of rows per partition, each drawn
            when it is needed. The rows depend on this number and the seed, but not on the workers.
        """
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
            raise SoftlearnError(f"n must be a whole number, 0 or more, not {n!r}")
        if partition_rows is not None:
            from softlearn import scale  # noqa: PLC0415 - loads Dask

            return scale.sample(self, int(n), partition_rows, given, random_state)
        known = read_given(given, self.schema, unknown=unknown)
        rng = generator(random_state)
        n_cells = int(n) * known.evidence.n_rows * len(self.schema)
        try:
            if n_cells > MOST_CELLS:
                raise MemoryError
            drawn = sample_given(self.circuit, known.evidence, rng, n_each=int(n), impossible="nan")
        except MemoryError:
            raise SoftlearnError(
                f"{n_cells:.3g} cells do not fit into memory; draw fewer rows at a time"
            ) from None
        known.refuse(np.isnan(drawn[0, :: max(n, 1)]), impossible)
        return decode(rounded(self.schema, known.evidence, drawn), self.schema)

    def impute(
        self,
        frame: Frame,
        method: Method = "mean",
        random_state: RandomState = None,
        *,
        unknown: Unknown = "error",
        extra: Extra = "error",
        impossible: Impossible = "error",
    ) -> Frame:
        """Return the frame with its missing cells filled and everything else as it was.

        Parameters
        ----------
        frame : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array
            The table; it is not changed. A Dask DataFrame or Array is filled when it is computed;
            draws then depend on its partitions.
        method : {"mean", "most_probable", "draw"}
            ``"mean"`` fills each cell by its posterior mean, or its most probable level, which has
            the smallest error; ``"most_probable"`` completes each row as a whole by max-product;
            ``"draw"`` draws each row's missing cells jointly from their conditional distribution.
        random_state : int or numpy.random.Generator, optional
            The source of randomness of ``"draw"``.
        unknown, extra
            As in ``score_samples``; unknown cells and extra columns stay as they are.
        impossible : {"error", "nan"}
            Whether a row of probability zero is an error or left as it is.
        """
        if is_partitioned(frame):
            from softlearn.scale import answer, like_the_table  # noqa: PLC0415 - loads Dask

            how = {"unknown": unknown, "extra": extra, "impossible": impossible}
            seed = {"random_state": random_state} if method == "draw" else {}
            return answer(self, "impute", frame, like_the_table, method=method, **how, **seed)
        known = read_frame(frame, self.schema, unknown=unknown, extra=extra)
        return imputed(self.circuit, frame, known, filling(method, random_state), impossible)

    def most_probable(
        self,
        given: Conditions | Frame | None = None,
        *,
        impossible: Impossible = "error",
        unknown: Unknown = "error",
    ) -> Completed:
        """Return the rows completed by max-product, with their log-density.

        Parameters
        ----------
        given : dict or frame, optional
            Evidence: one row as a dict, or a frame with missing cells.
        impossible : {"error", "nan"}
            Whether a row of probability zero is an error or left as it is.
        unknown : {"error", "missing"}
            Whether an unknown level in a given frame is an error, or treated as missing and kept.
        """
        known = read_given(given, self.schema, unknown=unknown)
        return completed(self.circuit, given, known, impossible)

    def fine_tune(
        self,
        frame: Frame,
        valid: Frame | None = None,
        *,
        max_iter: int = 30,
        batch_rows: int | None = None,
        smoothing: float = LAPLACE_SMOOTHING,
        sample_weight: object = None,
        random_state: RandomState = None,
        unknown: Unknown = "error",
    ) -> Model:
        """Return a model with the same structure and better parameters, learnt by EM.

        Some rows are held out, and the parameters that score best on them are kept, so the new
        model is never worse than the old one on these rows.

        Parameters
        ----------
        frame : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array
            The rows to learn from, which may have missing cells.
        valid : frame, optional
            Held-out rows for early stopping. By default a tenth of the others, if that is 20 rows
            or more; with fewer rows there is no early stopping.
        max_iter : int
            The most passes through the rows.
        batch_rows : int, optional
            The number of distinct rows per parameter update; by default all rows.
        smoothing : float
            Pseudo-rows added to every sum, divided equally among its branches, and to every leaf,
            distributed like its column.
        sample_weight : array of shape (rows,), optional
            The weight of each row: 2 counts it twice, 0 ignores it.
        random_state : int or numpy.random.Generator, optional
            The source of randomness of the held-out rows and the batches.
        unknown : {"error", "missing"}
            Whether an unknown level is an error, or treated as missing.
        """
        given = Sources(frame, valid, sample_weight, random_state, unknown)
        tuned = fine_tuned_circuit(
            self.circuit, given, max_iter=max_iter, batch_rows=batch_rows, smoothing=smoothing
        )
        return Model(tuned)

    def compress(
        self,
        frame: Frame | None = None,
        *,
        max_nodes: int | None = None,
        max_loss: float | None = None,
        unknown: Unknown = "error",
    ) -> Compressed:
        """Return a smaller model, and how many nats per row it loses.

        Equal parts are always merged, without loss. With a bound, rarely used parts are dropped,
        and similar leaves and sums are merged.

        Parameters
        ----------
        frame : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array, optional
            Rows on which the loss is measured, preferably not the training rows.
        max_nodes : int, optional
            The maximum number of nodes.
        max_loss : float, optional
            The maximum decrease of the rows' mean log-density, in nats.
        unknown : {"error", "missing"}
            Whether an unknown level is an error, or treated as missing.
        """
        rows = None
        if frame is not None:
            rows = Evidence(encode(frame, self.schema, unknown=unknown))
        circuit, loss = compressed_circuit(self.circuit, rows, max_nodes, max_loss)
        return Compressed(Model(circuit), loss)

    def explore(self, data: Frame | None = None, **options: Any) -> Any:  # noqa: ANN401
        """Start the explorer of this model in the background, and return a link to it.

        It needs starlette and uvicorn: ``pip install "softlearn[web]"``.

        Parameters
        ----------
        data : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array, optional
            Rows to explore with the model.
        **options
            ``title``, ``port``, ``unknown`` and ``open_browser`` of ``softlearn.web.explore``.

        Returns
        -------
        Explorer
            Its ``url`` is the address of the page, and its ``stop`` ends it.
        """
        try:
            # By name: the page knows the model, and the model need not know the page.
            web = import_module("softlearn.web")
        except ImportError as error:
            raise MissingDependencyError(
                f'the explorer needs {error.name}: pip install "softlearn[web]"'
            ) from None
        return web.explore(self, data, **options)

    def __reduce__(self) -> tuple[Any, ...]:
        # To other processes as a model file: checked on arrival, whatever the version there.
        return _received, (circuit_to_bytes(self.circuit),)

    def __repr__(self) -> str:
        circuit = self.circuit
        return (
            f"Model of {len(self.schema)} columns: {circuit.n_nodes:,} nodes, "
            f"{circuit.n_edges:,} edges, {circuit.n_parameters:,} parameters, "
            f"depth {circuit.depth}"
        )

    def _repr_html_(self) -> str:
        return block(repr(self), Html(self.schema._repr_html_()))

    def __str__(self) -> str:
        return f"{self.describe()}\n\n{self.schema}"


def load(path: str | os.PathLike[str]) -> Model:
    """Load a model from a file, and validate it.

    Loading executes no code. An invalid file raises a ``ModelFileError`` that says what is wrong.
    """
    return Model(load_circuit(path))


def _received(content: bytes) -> Model:
    """Return the model that another process has sent."""
    return Model(circuit_from_bytes(content))
