"""Posteriors of all columns for several requests at once, each with its own conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from softlearn.errors import EvidenceError
from softlearn.model import Model
from softlearn.model.given import Given
from softlearn.query import Evidence, posteriors
from softlearn.query.stacking import stack
from softlearn.show.views.conditions import described, likelihood, read_conditions
from softlearn.show.views.cuts import Cuts
from softlearn.show.views.one_row import Batch, OneRow
from softlearn.show.views.values import Json


@dataclass(frozen=True, eq=False)
class Request:
    """One request: the conditions, and the columns whose whole distributions are returned."""

    known: Given
    columns: tuple[int, ...]


Answer: TypeAlias = dict[str, Json] | EvidenceError


class PosteriorView:
    """Computes the distributions of a model's columns for requests.

    Parameters
    ----------
    model
        The model. What does not depend on the evidence is computed here, once.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self._places = {name: place for place, name in enumerate(model.schema.names)}
        self._scaled = {i for i, column in enumerate(model.schema) if column.scale is not None}
        self.cuts = Cuts(model)
        nothing = Evidence.nothing(len(model.schema))
        self._nothing = posteriors(model.circuit, nothing)
        self.prior = self.cuts.shares(self._nothing)[0]

    def request(self, given: str, columns: Sequence[str] | None = None) -> Request:
        """Return a request, read and checked; by default for the distributions of all columns."""
        known = read_conditions(given, self.model)
        if columns is None:
            return Request(known, tuple(range(len(self.model.schema))))
        return Request(known, tuple(self._position(name) for name in columns))

    def answer(self, given: str = "", columns: Sequence[str] | None = None) -> Json:
        """Return the posterior of every column given conditions written as text."""
        found = self.answers([self.request(given, columns)])[0]
        if isinstance(found, EvidenceError):
            raise found
        return found

    def answers(self, requests: Sequence[Request]) -> list[Answer]:
        """Return an answer, or an error, for each request.

        Requests share a pass, but for two kinds: a list of numbers holds for all rows of a pass,
        and a column with a scale that is bounded in one row costs all of them.
        """
        groups: dict[object, list[int]] = {}
        for place, request in enumerate(requests):
            evidence = request.known.evidence
            bounded = tuple(i for i in sorted(evidence.intervals) if i in self._scaled)
            groups.setdefault(place if evidence.listed else bounded, []).append(place)
        found: dict[int, Answer] = {}
        for places in groups.values():
            some = [requests[place] for place in places]
            found |= dict(zip(places, self._group(some), strict=True))
        return [found[place] for place in range(len(requests))]

    def _group(self, requests: Sequence[Request]) -> list[Answer]:
        if len(requests) == 1:
            return [self._alone(requests[0])]
        rows = stack([request.known.evidence for request in requests], self.model.schema)
        try:
            return self._together(requests, rows)
        except EvidenceError:  # of one of them
            return [self._alone(request) for request in requests]

    def _position(self, name: str) -> int:
        """Return the position of a column; the schema raises for unknown names."""
        found = self._places.get(name)
        return self.model.schema.index(name) if found is None else found

    def _alone(self, request: Request) -> Answer:
        try:
            return self._together([request], request.known.evidence)[0]
        except EvidenceError as error:
            return error

    def _together(self, requests: Sequence[Request], rows: Evidence) -> list[Answer]:
        found = posteriors(self.model.circuit, rows, impossible="nan", n_threads=1)
        with np.errstate(invalid="ignore"):  # rows of impossible evidence are NaN
            batch = Batch.of(found, self.cuts, self.prior, self._nothing)
        return [self._one(batch, row, request) for row, request in enumerate(requests)]

    def _one(self, batch: Batch, row: int, request: Request) -> Answer:
        log_density = float(batch.found.log_likelihood[row])
        try:
            request.known.refuse(np.array([log_density == -np.inf]), "error")
        except EvidenceError as error:
            return error
        one = OneRow(batch, row, request.known)
        return {
            **described(request.known),
            "evidence": likelihood(self.model, request.known, log_density),
            "columns": one.summaries(),
            "distributions": one.distributions(request.columns),
        }
