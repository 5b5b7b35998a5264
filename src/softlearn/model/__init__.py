"""A circuit that answers questions about a table, by column name."""

from softlearn.model.completion import Completed
from softlearn.model.density import DensityDistribution
from softlearn.model.levels import LevelDistribution
from softlearn.model.model import Model, load
from softlearn.model.pairs import PairTable

__all__ = ["Completed", "DensityDistribution", "LevelDistribution", "Model", "PairTable", "load"]
