"""Plots of models, alone or beside tables; they need matplotlib."""

from softlearn.show.plots.calibration import calibration
from softlearn.show.plots.comparison import comparison
from softlearn.show.plots.conditional import conditional
from softlearn.show.plots.learners import learners
from softlearn.show.plots.likelihoods import likelihoods
from softlearn.show.plots.marginals import marginals
from softlearn.show.plots.pairs import pairs
from softlearn.show.plots.search import search
from softlearn.show.plots.structure import structure

__all__ = [
    "calibration",
    "comparison",
    "conditional",
    "learners",
    "likelihoods",
    "marginals",
    "pairs",
    "search",
    "structure",
]
