"""The endpoints of the API: path, parameters, and the view that answers."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from softlearn.show.views import drawn_rows, informative_columns
from softlearn.show.views.values import Json
from softlearn.web import schemas
from softlearn.web.parameters import OneOf, Parameter, Several, WholeNumber
from softlearn.web.session import Session

Values: TypeAlias = Mapping[str, Any]

MOST_ROWS = 10_000

_GIVEN = Parameter(
    name="given", about="What is known, such as `age=30..40, sex=F`; nothing by default."
)
_ROW = WholeNumber(name="row", about="The number of a row of the table, from 0.", required=True)
_N_DRAWN = WholeNumber(name="n", about="Number of rows.", default=100, least=1, most=MOST_ROWS)
_SEED = WholeNumber(name="seed", about="The same number draws the same rows.", default=0)


@dataclass(frozen=True)
class Endpoint:
    """A question of the API.

    Attributes
    ----------
    path, about
        Where it is, and what it answers.
    parameters
        What may be asked.
    answer
        The function that answers.
    schema
        The JSON schema of the answer; None for CSV.
    """

    path: str
    about: str
    parameters: tuple[Parameter, ...]
    answer: Callable[[Session, Values], Json]
    schema: Json | None


def _posterior(session: Session, request: Values) -> Json:
    return session.posterior_view.answer(request["given"], request["column"])


def _informative(session: Session, request: Values) -> Json:
    return informative_columns(session.posterior_view, request["target"], request["given"])


def _sample(session: Session, request: Values) -> Json:
    return drawn_rows(session.model, request["given"], request["n"], request["seed"])


def _sample_csv(session: Session, request: Values) -> str:
    drawn, text = _sample(session, request), io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(drawn["columns"])
    writer.writerows(drawn["rows"])  # None is an empty cell
    return text.getvalue()


def _fit(session: Session, request: Values) -> Json:
    return {**session.fit.likelihoods, "columns": session.fit.columns}


POSTERIOR = Endpoint(
    "/api/posterior",
    "How likely the conditions are, how far each column moves, and the distributions of columns.",
    (
        _GIVEN,
        Several(
            name="column",
            about="A column whose whole distribution is wanted; may be repeated, all by default.",
            each=Parameter(name="column", about="The name of a column."),
            most=2000,
        ),
    ),
    _posterior,
    schemas.POSTERIOR,
)

ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "/api/model",
        "The model at a glance: its size, and what each column is.",
        (),
        lambda session, request: session.overview(),
        schemas.MODEL,
    ),
    POSTERIOR,
    Endpoint(
        "/api/informative",
        "How much each column would tell about another, given the conditions.",
        (Parameter(name="target", about="The column to learn about.", required=True), _GIVEN),
        _informative,
        schemas.INFORMATIVE,
    ),
    Endpoint(
        "/api/sample",
        "Rows drawn given the conditions.",
        (_GIVEN, _N_DRAWN, _SEED),
        _sample,
        schemas.SAMPLE,
    ),
    Endpoint(
        "/api/sample.csv",
        "The same rows as a file.",
        (_GIVEN, _N_DRAWN, _SEED),
        _sample_csv,
        None,
    ),
    Endpoint(
        "/api/structure",
        "A node of the circuit and its children, with their weights before and after.",
        (
            WholeNumber(name="node", about="The node; the root by default.", default=None),
            _GIVEN,
            WholeNumber(name="start", about="How many children to pass over.", default=0),
        ),
        lambda session, request: session.tree.open(
            request["node"], request["given"], request["start"]
        ),
        schemas.STRUCTURE,
    ),
    Endpoint(
        "/api/rows",
        "Rows of the table with their log-densities.",
        (
            WholeNumber(name="start", about="How many rows to pass over.", default=0),
            WholeNumber(name="n", about="Number of rows.", default=50, least=1, most=500),
            OneOf(
                name="order",
                about="Least likely first, most likely first, or as they stand in the table.",
                words=("odd", "usual", "table"),
                default="odd",
            ),
        ),
        lambda session, request: session.rows.page(
            request["start"], request["n"], request["order"]
        ),
        schemas.ROWS,
    ),
    Endpoint(
        "/api/row",
        "Why a row is odd: the surprise of each cell, what was expected, missing cells filled.",
        (_ROW,),
        lambda session, request: session.rows.explain(request["row"]),
        schemas.ROW,
    ),
    Endpoint(
        "/api/memberships",
        "How likely rows are of each kind of rows that the model tells apart.",
        (Several(name="row", about=_ROW.about, each=_ROW, most=500, required=True),),
        lambda session, request: session.rows.memberships(request["row"]),
        schemas.MEMBERSHIPS,
    ),
    Endpoint("/api/fit", "The table beside the model.", (), _fit, schemas.FIT),
)
