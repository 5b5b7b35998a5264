"""The explorer's session: a model, optionally a table, and what all requests share."""

from __future__ import annotations

from functools import cached_property
from threading import Lock

from softlearn.arrays import Floats
from softlearn.errors import SoftlearnError
from softlearn.model import Model
from softlearn.show.views import Fit, Kinds, PosteriorView, Rows, Tree, overview
from softlearn.show.views.values import Json


class NoTableError(SoftlearnError):
    """A request for rows to an explorer without a table."""


class Session:
    """The model and the table that are explored; requests never change them.

    Parameters
    ----------
    model
        The model.
    title
        What the page calls it.
    values
        (columns, rows) the encoded cells of a table, if there is one.
    """

    def __init__(self, model: Model, title: str, values: Floats | None = None) -> None:
        self.model, self.title, self._values = model, title, values
        self._lock = Lock()
        self.posterior_view = PosteriorView(model)

    @property
    def has_table(self) -> bool:
        """Whether there are rows to look at."""
        return self._values is not None

    def overview(self) -> Json:
        """Return the model at a glance."""
        n_rows = None if self._values is None else int(self._values.shape[1])
        return {"title": self.title, "n_rows": n_rows, **overview(self.model)}

    @property
    def rows(self) -> Rows:
        """The rows of the table; scored when they are first asked for."""
        with self._lock:
            return self._rows

    @property
    def fit(self) -> Fit:
        """The table beside the model."""
        with self._lock:
            return self._fit

    @property
    def tree(self) -> Tree:
        """The circuit from its root."""
        with self._lock:
            return self._tree

    @cached_property
    def _kinds(self) -> Kinds:
        return Kinds(self.model)

    @cached_property
    def _tree(self) -> Tree:
        return Tree(self.model, self._kinds)

    @cached_property
    def _rows(self) -> Rows:
        if self._values is None or not self._values.shape[1]:
            raise NoTableError(
                "there is no table to look at; start the explorer with --data TABLE, or with "
                "model.explore(frame)"
            )
        return Rows(self.model, self._kinds, self._values)

    @cached_property
    def _fit(self) -> Fit:
        return Fit(self.posterior_view, self._rows)
