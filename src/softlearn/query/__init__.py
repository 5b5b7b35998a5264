"""Exact queries on a circuit, for batches of rows with evidence of their own."""

from softlearn.query.conditional import conditional_log_probability
from softlearn.query.evidence import Evidence, intersect
from softlearn.query.flows import Flows, flows
from softlearn.query.information import Estimate, entropy, kl_divergence, mutual_information
from softlearn.query.leaf_statistics import LeafStatistics
from softlearn.query.likelihood import log_likelihood
from softlearn.query.moments import covariance, mean, moment, variance
from softlearn.query.most_probable import Completion, most_probable
from softlearn.query.nodes import node_posteriors
from softlearn.query.posteriors import Posteriors, posteriors
from softlearn.query.sample import sample, sample_given

__all__ = [
    "Completion",
    "Estimate",
    "Evidence",
    "Flows",
    "LeafStatistics",
    "Posteriors",
    "conditional_log_probability",
    "covariance",
    "entropy",
    "flows",
    "intersect",
    "kl_divergence",
    "log_likelihood",
    "mean",
    "moment",
    "most_probable",
    "mutual_information",
    "node_posteriors",
    "posteriors",
    "sample",
    "sample_given",
    "variance",
]
