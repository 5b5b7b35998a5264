"""The explorer's views of a model as JSON-safe values, one module per view."""

from softlearn.show.views.drawn import drawn_rows
from softlearn.show.views.fit import Fit
from softlearn.show.views.informative import informative_columns
from softlearn.show.views.kinds import Kinds
from softlearn.show.views.overview import overview
from softlearn.show.views.posteriors import PosteriorView, Request
from softlearn.show.views.rows import Rows
from softlearn.show.views.tree import Tree

__all__ = [
    "Fit",
    "Kinds",
    "PosteriorView",
    "Request",
    "Rows",
    "Tree",
    "drawn_rows",
    "informative_columns",
    "overview",
]
