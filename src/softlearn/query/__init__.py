"""Exact answers about a circuit, for batches of rows that each know something else."""

from softlearn.query.conditional import conditional_log_probability
from softlearn.query.evidence import Evidence, intersect
from softlearn.query.flows import Posteriors, posteriors
from softlearn.query.likelihood import log_likelihood
from softlearn.query.marginal import marginal
from softlearn.query.sample import sample, sample_given

__all__ = [
    "Evidence",
    "Posteriors",
    "conditional_log_probability",
    "intersect",
    "log_likelihood",
    "marginal",
    "posteriors",
    "sample",
    "sample_given",
]
