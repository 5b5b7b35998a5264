"""The estimators by name, and what their parameters mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from softlearn.estimators.circuit_estimator import CircuitEstimator
from softlearn.learn import GrowConfig


@dataclass(eq=False, repr=False, kw_only=True)
class SoftLearn(CircuitEstimator):
    """Learn a circuit by soft clustering: every row belongs to all clusters, by its membership.

    Columns that are independent, by weighted tests, are modelled apart; if all depend on each
    other, the rows are clustered and each cluster goes on with all rows, weighted by membership.

    Parameters
    ----------
    clustering : {"em", "kmeans"}
        How rows are clustered: a mixture of independent columns fitted by EM, or k-means whose
        distances become memberships.
    n_clusters : int, optional
        The most clusters at a time; 1 takes all columns as independent. By default 2, or 4 if
        there are 10,000 rows or more and a column has more than two levels.
    test : {"chi2", "g"}
        The statistic of the tests of independence on tables: Pearson's chi-square or the
        likelihood ratio, G.
    significance : float, optional
        Columns depend on each other when a test of independence rejects at this level. Smaller
        values give smaller circuits. By default it falls with the number of pairs of columns that
        a node tests: about two pairs are taken for dependent by chance, and no level is above
        0.1. If all columns have two levels it is 0.0001.
    smoothing : float
        Pseudo-rows of every column that has levels, and of every bin of a histogram.
    smoothing_per : {"column", "level"}, optional
        Whether the levels of a column share the pseudo-rows, each by how frequent it is in the
        table, or each level gets as many, which is Laplace's smoothing. By default a column's
        levels share them, unless all columns have two levels.
    beta : float
        How hard the memberships of k-means are; the larger the closer to all or nothing.
    max_iter : int
        The most iterations of a clustering; 2 is *Early SoftLearn*.
    min_weight : float
        Rows that weigh less in a node are left out of it; 0 keeps all.
    leaf : {"gaussian", "histogram"} or mapping of column name to one of them
        The leaves of integer, numeric and datetime columns without a scale; those not in a mapping
        are Gaussian. A histogram takes a column's scale away. Columns with a scale, which are all
        others that were not said to be plain, have leaves over its cells.
    max_depth : int, optional
        The most splits on the way to a leaf; 0 takes all columns as independent.
    max_nodes : int, optional
        About how many nodes the circuit may have; one leaf per column is always there.
    time_budget : float, optional
        Seconds after which nothing is split any more. The result then depends on the machine.
    random_state : int or numpy.random.Generator, optional
        The source of randomness; the same number gives the same circuit.
    n_jobs : int, optional
        Threads; by default all cores. The circuit does not depend on it.
    verbose : {0, 1}
        Whether a terminal shows how far learning has come.
    on_interrupt : {"raise", "keep"}
        Whether Ctrl-C ends learning, or closes what is open and keeps the circuit so far.
    schema : Schema or mapping of column name to kind, Column or mapping, optional
        What the columns are, or what the caller knows better than ``infer_schema``: a kind, or
        choices such as ``{"scale": "plain"}`` or ``{"lower": 0, "missing": "modelled"}``.
    missing : {"unobserved", "modelled"}
        What a missing cell says: nothing, so that it is summed out, or that it is missing, which
        then has a probability in every column with missing cells. Drawn rows have gaps where the
        data has them, and ``model_.probability({"age": {None}})`` can be asked. A ``Schema`` says
        it for each column itself.
    unknown : {"error", "missing"}
        Whether a level that the schema does not know, such as one that only rows to be scored have,
        is refused or taken as missing, unless a question says otherwise. It is about the rows of
        tables; a level in a dict is always refused.

    Attributes
    ----------
    model_ : Model
        The circuit, which answers all questions; its methods are the estimator's too.
    schema_ : Schema
        What the columns are taken for, and why.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if the table had any.

    Examples
    --------
    >>> import numpy as np
    >>> from softlearn import SoftLearn
    >>> rng = np.random.default_rng(0)
    >>> left = rng.random(500) < 0.5
    >>> centres = np.where(left[:, None], [-3, 1], [3, 9])
    >>> table = rng.normal(centres)  # (500, 2)
    >>> learnt = SoftLearn(random_state=0).fit(table)
    >>> round(learnt.model_.probability({"1": (5, None)}, given={"0": (0, None)}), 2)
    1.0
    """

    learner: ClassVar[str] = "softlearn"

    beta: float = GrowConfig().beta


@dataclass(eq=False, repr=False, kw_only=True)
class LearnSPN(CircuitEstimator):
    """Learn a circuit by hard clustering: every row goes to one cluster, and the table is cut up.

    The algorithm of Gens and Domingos with the tests of Correia et al.: pairs of discrete columns
    by chi-square, pairs of numbers by Kendall's tau, mixed pairs by Kruskal and Wallis.

    Parameters
    ----------
    clustering, n_clusters, test, significance, smoothing, smoothing_per, max_iter, min_weight, leaf
        As in ``SoftLearn``; memberships are rounded to the most likely cluster.
    max_depth, max_nodes, time_budget, random_state, n_jobs, verbose, on_interrupt
        As in ``SoftLearn``.
    schema, missing, unknown
        As in ``SoftLearn``.

    Attributes
    ----------
    model_, schema_, n_features_in_, feature_names_in_
        As in ``SoftLearn``.
    """

    learner: ClassVar[str] = "learnspn"
