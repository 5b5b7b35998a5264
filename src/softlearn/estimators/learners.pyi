"""The estimators of all learners.

Written by python docs/write_learners.py; change the entries in src/softlearn/learn.
"""

from collections.abc import Mapping
from os import PathLike
from typing import Literal

from softlearn.estimators.circuit_estimator import CircuitEstimator
from softlearn.model.given import Unknown
from softlearn.model.randomness import RandomState
from softlearn.table import Schema
from softlearn.table.choice import Choice
from softlearn.table.column import Missing

__all__ = ["ChowLiuTree", "CutsetNetwork", "EinsumNetwork", "HCLT", "IdSpn", "LearnPSDD", "LearnSPN", "RandomCircuits", "RatSpn", "SoftLearn"]

class SoftLearn(CircuitEstimator):
    """Learn a circuit by soft clustering: every row belongs to all clusters, by membership.

    Columns that are independent, by weighted tests, are modelled apart; if all depend on each
    other, the rows are clustered and each cluster continues with all rows, weighted by their
    membership.

    Start with this one: it is the default. A row between two groups contributes to both, so
    overlapping groups do less harm than in LearnSPN.

    Reference: Ghandi, Quost and de Campos, Soft Learning Probabilistic Circuits, 2024.

    Parameters
    ----------
    clustering : {"em", "kmeans"}, default='em'
        How rows are clustered: a mixture of independent columns fitted by EM, or k-means.
    n_clusters : int, default=2
        The maximum number of clusters per split; 1 treats all columns as independent. With more
        clusters, rows drawn from models of large tables are harder to tell from real ones, but
        unseen rows usually score lower.
    test : {"chi2", "g"}, default='chi2'
        The statistic of the tests of independence on tables: Pearson's chi-square or the
        likelihood ratio, G.
    significance : float, optional
        Columns depend on each other when a test of independence rejects at this level; smaller
        values give smaller circuits. By default it falls with the number of pairs of columns
        that a node tests, so that in every second node about one independent pair passes as
        dependent (up to two per node in small tables, or if all columns have two levels), and
        with the weight of its rows, because many rows make even negligible dependence
        significant.
    max_iter : int, default=100
        The maximum number of iterations of a clustering; 2 is *Early SoftLearn*.
    min_weight : float, default=0.001
        A node ignores rows that keep less than this share of their weight in it; 0 keeps all.
        With EM, tests and clustering ignore rows below ten times this share.
    smoothing : float, default=0.1
        Smoothing: the number of pseudo-rows of a leaf for every level that it has seen, and for
        every bin of a histogram.
    smoothing_per : {"column", "level"}, optional
        Whether these pseudo-rows are per column, shared equally by all its levels, or per
        level, seen or not, which is Laplace smoothing. Default: per column, unless all columns
        have two levels.
    leaf : {"gaussian", "histogram", "chow-liu"} or mapping of column name to the first of them, default='gaussian'
        The leaves of integer, numeric and datetime columns without a scale; those not in a
        mapping are Gaussian. A column with histogram leaves has no scale. Columns with a scale,
        which are all others that are not declared plain, have leaves over its cells. With
        `chow-liu`, columns that are not split any further are modelled by a tree, in which each
        depends on one other, instead of as independent.
    max_depth : int, optional
        The maximum number of splits between the root and a leaf; 0 treats all columns as
        independent.
    min_rows : int, optional
        Nodes with a smaller weight of rows are not split. Default: 0, or 200 if leaf is `chow-
        liu`.
    max_nodes : int, optional
        The approximate maximum number of nodes; there is always one leaf per column.
    time_budget : float, optional
        Seconds after which splitting stops. The result then depends on the machine.
    fine_tune : int, default=0
        The maximum number of EM passes over the weights and leaves of the grown circuit. If
        above 0, a tenth of the rows is held out for early stopping, because EM helps small
        circuits but overfits large ones.
    checkpoint : path of a folder, optional
        A folder for finished parts of the circuit. After a crash, the same call resumes from
        there and gives the same circuit; then the folder is removed.
    beta : float, default=40.0
        How hard the memberships of soft k-means are; large values approach hard assignment. It
        has an effect only if ``clustering`` is 'kmeans'.
    random_state : int or numpy.random.Generator, optional
        The source of randomness; the same number gives the same circuit.
    n_jobs : int, optional
        The number of threads, by default one per core; it does not change the circuit.
    verbose : {0, 1}, default=0
        Whether progress is shown in a terminal or notebook.
    on_interrupt : {"raise", "keep"}, default='raise'
        Whether Ctrl-C raises ``KeyboardInterrupt``, or stops learning and keeps the circuit so
        far.
    schema : Schema or mapping of column name to kind, Column or mapping, optional
        The schema of the table, or overrides of the inferred one: a kind, or settings such as
        ``{"scale": "plain"}`` or ``{"lower": 0, "missing": "modelled"}``.
    missing : {"unobserved", "modelled"}, default='unobserved'
        How a missing cell is treated: as unobserved, so that it is summed out, or as a value of
        its own, with a probability in every column with missing cells. Drawn rows then have
        missing cells as the data has, and ``model_.probability({"age": {None}})`` is defined. A
        ``Schema`` has this choice for each column.
    unknown : {"error", "missing"}, default='error'
        Whether an unknown level in a table, such as one that only rows to be scored have, is an
        error or treated as missing; methods can override it. An unknown level in a dict is
        always an error.

    Attributes
    ----------
    model_ : Model
        The circuit, which answers all questions; its methods are the estimator's too.
    schema_ : Schema
        The inferred schema: what each column is, and why.
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

    clustering: Literal["em", "kmeans"]
    n_clusters: int
    test: Literal["chi2", "g"]
    significance: float | None
    max_iter: int
    min_weight: float
    smoothing: float
    smoothing_per: Literal["column", "level"] | None
    leaf: Literal["gaussian", "histogram", "chow-liu"] | Mapping[str, Literal["gaussian", "histogram"]]
    max_depth: int | None
    min_rows: int | None
    max_nodes: int | None
    time_budget: float | None
    fine_tune: int
    checkpoint: str | PathLike[str] | None
    beta: float
    random_state: RandomState
    n_jobs: int | None
    verbose: int
    on_interrupt: Literal["raise", "keep"]
    schema: Schema | Mapping[str, Choice] | None
    missing: Missing
    unknown: Unknown

    def __init__(
        self,
        *,
        clustering: Literal["em", "kmeans"] = "em",
        n_clusters: int = 2,
        test: Literal["chi2", "g"] = "chi2",
        significance: float | None = None,
        max_iter: int = 100,
        min_weight: float = 0.001,
        smoothing: float = 0.1,
        smoothing_per: Literal["column", "level"] | None = None,
        leaf: Literal["gaussian", "histogram", "chow-liu"] | Mapping[str, Literal["gaussian", "histogram"]] = "gaussian",
        max_depth: int | None = None,
        min_rows: int | None = None,
        max_nodes: int | None = None,
        time_budget: float | None = None,
        fine_tune: int = 0,
        checkpoint: str | PathLike[str] | None = None,
        beta: float = 40.0,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        on_interrupt: Literal["raise", "keep"] = "raise",
        schema: Schema | Mapping[str, Choice] | None = None,
        missing: Missing = "unobserved",
        unknown: Unknown = "error",
    ) -> None: ...

class LearnSPN(CircuitEstimator):
    """Learn a circuit by hard clustering: every row goes to one cluster.

    The table is split into smaller and smaller parts. Pairs of discrete columns are tested by
    chi-square, pairs of numbers by Kendall's tau, mixed pairs by Kruskal and Wallis;
    memberships are rounded to the most likely cluster.

    Use it as the standard baseline of the literature.

    Reference: Gens and Domingos, Learning the Structure of Sum-Product Networks, ICML 2013,
    with the tests of Correia et al.

    Parameters
    ----------
    clustering : {"em", "kmeans"}, default='em'
        How rows are clustered: a mixture of independent columns fitted by EM, or k-means.
    n_clusters : int, default=2
        The maximum number of clusters per split; 1 treats all columns as independent. With more
        clusters, rows drawn from models of large tables are harder to tell from real ones, but
        unseen rows usually score lower.
    test : {"chi2", "g"}, default='chi2'
        The statistic of the tests of independence on tables: Pearson's chi-square or the
        likelihood ratio, G.
    significance : float, optional
        Columns depend on each other when a test of independence rejects at this level; smaller
        values give smaller circuits. By default it falls with the number of pairs of columns
        that a node tests, so that in every second node about one independent pair passes as
        dependent (up to two per node in small tables, or if all columns have two levels), and
        with the weight of its rows, because many rows make even negligible dependence
        significant.
    max_iter : int, default=100
        The maximum number of iterations of a clustering; 2 is *Early SoftLearn*.
    min_weight : float, default=0.001
        A node ignores rows that keep less than this share of their weight in it; 0 keeps all.
        With EM, tests and clustering ignore rows below ten times this share.
    smoothing : float, default=0.1
        Smoothing: the number of pseudo-rows of a leaf for every level that it has seen, and for
        every bin of a histogram.
    smoothing_per : {"column", "level"}, optional
        Whether these pseudo-rows are per column, shared equally by all its levels, or per
        level, seen or not, which is Laplace smoothing. Default: per column, unless all columns
        have two levels.
    leaf : {"gaussian", "histogram", "chow-liu"} or mapping of column name to the first of them, default='gaussian'
        The leaves of integer, numeric and datetime columns without a scale; those not in a
        mapping are Gaussian. A column with histogram leaves has no scale. Columns with a scale,
        which are all others that are not declared plain, have leaves over its cells. With
        `chow-liu`, columns that are not split any further are modelled by a tree, in which each
        depends on one other, instead of as independent.
    max_depth : int, optional
        The maximum number of splits between the root and a leaf; 0 treats all columns as
        independent.
    min_rows : int, optional
        Nodes with a smaller weight of rows are not split. Default: 0, or 200 if leaf is `chow-
        liu`.
    max_nodes : int, optional
        The approximate maximum number of nodes; there is always one leaf per column.
    time_budget : float, optional
        Seconds after which splitting stops. The result then depends on the machine.
    fine_tune : int, default=0
        The maximum number of EM passes over the weights and leaves of the grown circuit. If
        above 0, a tenth of the rows is held out for early stopping, because EM helps small
        circuits but overfits large ones.
    checkpoint : path of a folder, optional
        A folder for finished parts of the circuit. After a crash, the same call resumes from
        there and gives the same circuit; then the folder is removed.
    variant : {"correia", "gens"}, default='correia'
        How rows and columns are split: `correia` uses `clustering` and tests of ranks and chi-
        square; `gens`, the original algorithm, uses G-tests (on binned numbers) and hard
        incremental EM over naive Bayes mixtures, which chooses the number of clusters.
    cluster_penalty : float, default=0.6
        The penalty for each additional cluster, in nats per column. It has an effect only if
        ``variant`` is 'gens'.
    random_state : int or numpy.random.Generator, optional
        The source of randomness; the same number gives the same circuit.
    n_jobs : int, optional
        The number of threads, by default one per core; it does not change the circuit.
    verbose : {0, 1}, default=0
        Whether progress is shown in a terminal or notebook.
    on_interrupt : {"raise", "keep"}, default='raise'
        Whether Ctrl-C raises ``KeyboardInterrupt``, or stops learning and keeps the circuit so
        far.
    schema : Schema or mapping of column name to kind, Column or mapping, optional
        The schema of the table, or overrides of the inferred one: a kind, or settings such as
        ``{"scale": "plain"}`` or ``{"lower": 0, "missing": "modelled"}``.
    missing : {"unobserved", "modelled"}, default='unobserved'
        How a missing cell is treated: as unobserved, so that it is summed out, or as a value of
        its own, with a probability in every column with missing cells. Drawn rows then have
        missing cells as the data has, and ``model_.probability({"age": {None}})`` is defined. A
        ``Schema`` has this choice for each column.
    unknown : {"error", "missing"}, default='error'
        Whether an unknown level in a table, such as one that only rows to be scored have, is an
        error or treated as missing; methods can override it. An unknown level in a dict is
        always an error.

    Attributes
    ----------
    model_ : Model
        The circuit, which answers all questions; its methods are the estimator's too.
    schema_ : Schema
        The inferred schema: what each column is, and why.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if the table had any.

    Examples
    --------
    >>> import numpy as np
    >>> from softlearn import LearnSPN
    >>> rng = np.random.default_rng(0)
    >>> left = rng.random(500) < 0.5
    >>> table = rng.normal(np.where(left[:, None], [-3, 1], [3, 9]))  # (500, 2)
    >>> learnt = LearnSPN(random_state=0).fit(table)
    >>> learnt.score(table) > LearnSPN(max_depth=0).fit(table).score(table) + 0.3
    True
    """

    clustering: Literal["em", "kmeans"]
    n_clusters: int
    test: Literal["chi2", "g"]
    significance: float | None
    max_iter: int
    min_weight: float
    smoothing: float
    smoothing_per: Literal["column", "level"] | None
    leaf: Literal["gaussian", "histogram", "chow-liu"] | Mapping[str, Literal["gaussian", "histogram"]]
    max_depth: int | None
    min_rows: int | None
    max_nodes: int | None
    time_budget: float | None
    fine_tune: int
    checkpoint: str | PathLike[str] | None
    variant: Literal["correia", "gens"]
    cluster_penalty: float
    random_state: RandomState
    n_jobs: int | None
    verbose: int
    on_interrupt: Literal["raise", "keep"]
    schema: Schema | Mapping[str, Choice] | None
    missing: Missing
    unknown: Unknown

    def __init__(
        self,
        *,
        clustering: Literal["em", "kmeans"] = "em",
        n_clusters: int = 2,
        test: Literal["chi2", "g"] = "chi2",
        significance: float | None = None,
        max_iter: int = 100,
        min_weight: float = 0.001,
        smoothing: float = 0.1,
        smoothing_per: Literal["column", "level"] | None = None,
        leaf: Literal["gaussian", "histogram", "chow-liu"] | Mapping[str, Literal["gaussian", "histogram"]] = "gaussian",
        max_depth: int | None = None,
        min_rows: int | None = None,
        max_nodes: int | None = None,
        time_budget: float | None = None,
        fine_tune: int = 0,
        checkpoint: str | PathLike[str] | None = None,
        variant: Literal["correia", "gens"] = "correia",
        cluster_penalty: float = 0.6,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        on_interrupt: Literal["raise", "keep"] = "raise",
        schema: Schema | Mapping[str, Choice] | None = None,
        missing: Missing = "unobserved",
        unknown: Unknown = "error",
    ) -> None: ...

class ChowLiuTree(CircuitEstimator):
    """Learn the best tree of the columns: each depends on one other.

    Of all trees it has the largest likelihood: the spanning tree of largest mutual information.
    Numbers are cut into a few bins where other columns depend on them.

    Use it as a fast baseline, or where the tree itself is of interest. Most tables have more
    structure than a tree can represent.

    Reference: Chow and Liu, Approximating Discrete Probability Distributions with Dependence
    Trees, 1968; mixtures: Meilă and Jordan, Learning with Mixtures of Trees, JMLR 2000.

    Parameters
    ----------
    smoothing : float, default=1.0
        Smoothing: pseudo-rows added to every column for each state of the column that it
        depends on.
    smoothing_per : {"column", "level"}, optional, default='column'
        Whether the pseudo-rows are per column, shared by its levels in proportion to their
        frequency, or per level, which is Laplace smoothing. None chooses as SoftLearn does.
    leaf : {"gaussian", "histogram"} or mapping of column name to them, default='gaussian'
        The leaves of integer, numeric and datetime columns without a scale; those not in a
        mapping are Gaussian. A column with histogram leaves has no scale. Columns with a scale,
        which are all others that are not declared plain, have leaves over its cells.
    n_members : int, default=1
        The number of circuits, whose mean is the result.
    bootstrap : bool, optional
        Whether each of several circuits is learnt from rows drawn with replacement. By default
        they are, unless the learner is random anyway.
    mixture : {"bagged", "em"}, default='bagged'
        How several trees are learnt: independently from resampled rows, or jointly by EM, each
        from the rows that it explains best; EM may leave fewer than `n_members`.
    max_iter : int, default=30
        The maximum number of EM steps. It has an effect only if ``mixture`` is 'em'.
    random_state : int or numpy.random.Generator, optional
        The source of randomness; the same number gives the same circuit.
    n_jobs : int, optional
        The number of threads, by default one per core; it does not change the circuit.
    verbose : {0, 1}, default=0
        Whether progress is shown in a terminal or notebook.
    on_interrupt : {"raise", "keep"}, default='raise'
        Whether Ctrl-C raises ``KeyboardInterrupt``, or stops learning and keeps the circuit so
        far.
    schema : Schema or mapping of column name to kind, Column or mapping, optional
        The schema of the table, or overrides of the inferred one: a kind, or settings such as
        ``{"scale": "plain"}`` or ``{"lower": 0, "missing": "modelled"}``.
    missing : {"unobserved", "modelled"}, default='unobserved'
        How a missing cell is treated: as unobserved, so that it is summed out, or as a value of
        its own, with a probability in every column with missing cells. Drawn rows then have
        missing cells as the data has, and ``model_.probability({"age": {None}})`` is defined. A
        ``Schema`` has this choice for each column.
    unknown : {"error", "missing"}, default='error'
        Whether an unknown level in a table, such as one that only rows to be scored have, is an
        error or treated as missing; methods can override it. An unknown level in a dict is
        always an error.

    Attributes
    ----------
    model_ : Model
        The circuit, which answers all questions; its methods are the estimator's too.
    schema_ : Schema
        The inferred schema: what each column is, and why.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if the table had any.

    Examples
    --------
    >>> import numpy as np
    >>> from softlearn import ChowLiuTree
    >>> rng = np.random.default_rng(0)
    >>> first = rng.random(500) < 0.5
    >>> second = first ^ (rng.random(500) < 0.1)
    >>> third = second ^ (rng.random(500) < 0.1)
    >>> learnt = ChowLiuTree().fit(np.stack([first, second, third], axis=1))
    >>> round(learnt.model_.probability({"2": True}, given={"0": True}), 1)
    0.8
    """

    smoothing: float
    smoothing_per: Literal["column", "level"] | None
    leaf: Literal["gaussian", "histogram"] | Mapping[str, Literal["gaussian", "histogram"]]
    n_members: int
    bootstrap: bool | None
    mixture: Literal["bagged", "em"]
    max_iter: int
    random_state: RandomState
    n_jobs: int | None
    verbose: int
    on_interrupt: Literal["raise", "keep"]
    schema: Schema | Mapping[str, Choice] | None
    missing: Missing
    unknown: Unknown

    def __init__(
        self,
        *,
        smoothing: float = 1.0,
        smoothing_per: Literal["column", "level"] | None = "column",
        leaf: Literal["gaussian", "histogram"] | Mapping[str, Literal["gaussian", "histogram"]] = "gaussian",
        n_members: int = 1,
        bootstrap: bool | None = None,
        mixture: Literal["bagged", "em"] = "bagged",
        max_iter: int = 30,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        on_interrupt: Literal["raise", "keep"] = "raise",
        schema: Schema | Mapping[str, Choice] | None = None,
        missing: Missing = "unobserved",
        unknown: Unknown = "error",
    ) -> None: ...

class HCLT(CircuitEstimator):
    """Learn a hidden Chow–Liu tree: a hidden variable behind each column, joined by a tree.

    The tree joins the columns whose mutual information is largest. Each column depends on a
    hidden variable of its own, with a few states, and hidden variables depend on each other
    along the tree; weights and leaves are learnt by EM, with early stopping on held-out rows.

    Use it where columns depend on each other directly rather than through groups of rows, or as
    a member of a mixture. More states fit better and take longer: the time grows with their
    square.

    Reference: Liu and Van den Broeck, Tractable Regularization of Probabilistic Circuits,
    NeurIPS 2021.

    Parameters
    ----------
    smoothing : float, default=0.1
        Smoothing: the number of pseudo-rows added to every column with levels, and to every bin
        of a histogram.
    smoothing_per : {"column", "level"}, optional
        Whether the pseudo-rows are per column, shared by its levels in proportion to their
        frequency in the table, or per level, which is Laplace smoothing. Default: per column,
        unless all columns have two levels.
    leaf : {"gaussian", "histogram"} or mapping of column name to them, default='gaussian'
        The leaves of integer, numeric and datetime columns without a scale; those not in a
        mapping are Gaussian. A column with histogram leaves has no scale. Columns with a scale,
        which are all others that are not declared plain, have leaves over its cells.
    max_iter : int, default=100
        The maximum number of EM passes through the rows.
    batch_rows : int, optional
        The number of distinct rows per parameter update; by default all rows. Smaller batches
        are faster on very large tables.
    held_out : float, default=0.1
        The share of the rows that is held out for early stopping; the circuit that scores best
        on them is kept. 0 learns from all rows.
    sum_smoothing : float, default=0.1
        Smoothing: pseudo-rows added to every sum, divided equally among its branches.
    n_states : int, default=16
        The number of states of each hidden variable.
    random_state : int or numpy.random.Generator, optional
        The source of randomness; the same number gives the same circuit.
    n_jobs : int, optional
        The number of threads, by default one per core; it does not change the circuit.
    verbose : {0, 1}, default=0
        Whether progress is shown in a terminal or notebook.
    on_interrupt : {"raise", "keep"}, default='raise'
        Whether Ctrl-C raises ``KeyboardInterrupt``, or stops learning and keeps the circuit so
        far.
    schema : Schema or mapping of column name to kind, Column or mapping, optional
        The schema of the table, or overrides of the inferred one: a kind, or settings such as
        ``{"scale": "plain"}`` or ``{"lower": 0, "missing": "modelled"}``.
    missing : {"unobserved", "modelled"}, default='unobserved'
        How a missing cell is treated: as unobserved, so that it is summed out, or as a value of
        its own, with a probability in every column with missing cells. Drawn rows then have
        missing cells as the data has, and ``model_.probability({"age": {None}})`` is defined. A
        ``Schema`` has this choice for each column.
    unknown : {"error", "missing"}, default='error'
        Whether an unknown level in a table, such as one that only rows to be scored have, is an
        error or treated as missing; methods can override it. An unknown level in a dict is
        always an error.

    Attributes
    ----------
    model_ : Model
        The circuit, which answers all questions; its methods are the estimator's too.
    schema_ : Schema
        The inferred schema: what each column is, and why.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if the table had any.

    Examples
    --------
    >>> import numpy as np
    >>> from softlearn import HCLT
    >>> rng = np.random.default_rng(0)
    >>> steps = rng.random((500, 5)) < 0.1
    >>> table = np.cumsum(steps, axis=1) % 2  # each column is like the one before
    >>> learnt = HCLT(n_states=4, random_state=0).fit(table)
    >>> learnt.model_.probability({"1": 1}, given={"0": 1}) > 0.8
    True
    """

    smoothing: float
    smoothing_per: Literal["column", "level"] | None
    leaf: Literal["gaussian", "histogram"] | Mapping[str, Literal["gaussian", "histogram"]]
    max_iter: int
    batch_rows: int | None
    held_out: float
    sum_smoothing: float
    n_states: int
    random_state: RandomState
    n_jobs: int | None
    verbose: int
    on_interrupt: Literal["raise", "keep"]
    schema: Schema | Mapping[str, Choice] | None
    missing: Missing
    unknown: Unknown

    def __init__(
        self,
        *,
        smoothing: float = 0.1,
        smoothing_per: Literal["column", "level"] | None = None,
        leaf: Literal["gaussian", "histogram"] | Mapping[str, Literal["gaussian", "histogram"]] = "gaussian",
        max_iter: int = 100,
        batch_rows: int | None = None,
        held_out: float = 0.1,
        sum_smoothing: float = 0.1,
        n_states: int = 16,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        on_interrupt: Literal["raise", "keep"] = "raise",
        schema: Schema | Mapping[str, Choice] | None = None,
        missing: Missing = "unobserved",
        unknown: Unknown = "error",
    ) -> None: ...

class RatSpn(CircuitEstimator):
    """Learn the parameters of a large random circuit by EM.

    The columns are halved at random, again and again, in several trees. Each part has a few
    sums, over the products of all pairs of nodes of its halves; the smallest parts have a few
    products of leaves. None of this depends on the data; weights and leaves are learnt by EM,
    with early stopping on held-out rows.

    Use it as a baseline without structure learning, or as a member of a mixture. The time grows
    with the third power of the number of sums.

    Reference: Peharz et al., Random Sum-Product Networks: A Simple and Effective Approach to
    Probabilistic Deep Learning, UAI 2019. Trained by EM instead of gradients and dropout.

    Parameters
    ----------
    smoothing : float, default=0.1
        Smoothing: the number of pseudo-rows added to every column with levels, and to every bin
        of a histogram.
    smoothing_per : {"column", "level"}, optional
        Whether the pseudo-rows are per column, shared by its levels in proportion to their
        frequency in the table, or per level, which is Laplace smoothing. Default: per column,
        unless all columns have two levels.
    leaf : {"gaussian", "histogram"} or mapping of column name to them, default='gaussian'
        The leaves of integer, numeric and datetime columns without a scale; those not in a
        mapping are Gaussian. A column with histogram leaves has no scale. Columns with a scale,
        which are all others that are not declared plain, have leaves over its cells.
    max_iter : int, default=100
        The maximum number of EM passes through the rows.
    batch_rows : int, optional
        The number of distinct rows per parameter update; by default all rows. Smaller batches
        are faster on very large tables.
    held_out : float, default=0.1
        The share of the rows that is held out for early stopping; the circuit that scores best
        on them is kept. 0 learns from all rows.
    sum_smoothing : float, default=0.1
        Smoothing: pseudo-rows added to every sum, divided equally among its branches.
    n_replicas : int, default=8
        The number of random trees of regions; R in the paper.
    depth : int, default=3
        How many times regions are halved; D in the paper.
    n_sums : int, default=8
        The number of sums per region; S in the paper.
    n_inputs : int, default=8
        The number of products of leaves per smallest region; I in the paper.
    random_state : int or numpy.random.Generator, optional
        The source of randomness; the same number gives the same circuit.
    n_jobs : int, optional
        The number of threads, by default one per core; it does not change the circuit.
    verbose : {0, 1}, default=0
        Whether progress is shown in a terminal or notebook.
    on_interrupt : {"raise", "keep"}, default='raise'
        Whether Ctrl-C raises ``KeyboardInterrupt``, or stops learning and keeps the circuit so
        far.
    schema : Schema or mapping of column name to kind, Column or mapping, optional
        The schema of the table, or overrides of the inferred one: a kind, or settings such as
        ``{"scale": "plain"}`` or ``{"lower": 0, "missing": "modelled"}``.
    missing : {"unobserved", "modelled"}, default='unobserved'
        How a missing cell is treated: as unobserved, so that it is summed out, or as a value of
        its own, with a probability in every column with missing cells. Drawn rows then have
        missing cells as the data has, and ``model_.probability({"age": {None}})`` is defined. A
        ``Schema`` has this choice for each column.
    unknown : {"error", "missing"}, default='error'
        Whether an unknown level in a table, such as one that only rows to be scored have, is an
        error or treated as missing; methods can override it. An unknown level in a dict is
        always an error.

    Attributes
    ----------
    model_ : Model
        The circuit, which answers all questions; its methods are the estimator's too.
    schema_ : Schema
        The inferred schema: what each column is, and why.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if the table had any.

    Examples
    --------
    >>> import numpy as np
    >>> from softlearn import RatSpn
    >>> rng = np.random.default_rng(0)
    >>> left = rng.random(500) < 0.5
    >>> table = rng.normal(np.where(left[:, None], [-3, 1, 0], [3, 9, 5]))  # (500, 3)
    >>> learnt = RatSpn(n_replicas=2, n_sums=3, n_inputs=3, random_state=0).fit(table)
    >>> learnt.model_.probability({"1": (5, None)}, given={"0": (2, None)}) > 0.9
    True
    """

    smoothing: float
    smoothing_per: Literal["column", "level"] | None
    leaf: Literal["gaussian", "histogram"] | Mapping[str, Literal["gaussian", "histogram"]]
    max_iter: int
    batch_rows: int | None
    held_out: float
    sum_smoothing: float
    n_replicas: int
    depth: int
    n_sums: int
    n_inputs: int
    random_state: RandomState
    n_jobs: int | None
    verbose: int
    on_interrupt: Literal["raise", "keep"]
    schema: Schema | Mapping[str, Choice] | None
    missing: Missing
    unknown: Unknown

    def __init__(
        self,
        *,
        smoothing: float = 0.1,
        smoothing_per: Literal["column", "level"] | None = None,
        leaf: Literal["gaussian", "histogram"] | Mapping[str, Literal["gaussian", "histogram"]] = "gaussian",
        max_iter: int = 100,
        batch_rows: int | None = None,
        held_out: float = 0.1,
        sum_smoothing: float = 0.1,
        n_replicas: int = 8,
        depth: int = 3,
        n_sums: int = 8,
        n_inputs: int = 8,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        on_interrupt: Literal["raise", "keep"] = "raise",
        schema: Schema | Mapping[str, Choice] | None = None,
        missing: Missing = "unobserved",
        unknown: Unknown = "error",
    ) -> None: ...

class EinsumNetwork(CircuitEstimator):
    """Learn the parameters of a regular network by EM, over random or neighbouring regions.

    Each region of columns has the same number of nodes. A split of a region into two gives sums
    over the products of all pairs of nodes; where a region is split in several ways, further
    sums mix them. Weights and leaves are learnt by EM, with early stopping on held-out rows.

    Use `poon-domingos` where the order of the columns has a meaning, such as time or place;
    otherwise it is similar to RatSpn. The time grows with the third power of the number of
    nodes.

    Reference: Peharz et al., Einsum Networks: Fast and Scalable Learning of Tractable
    Probabilistic Circuits, ICML 2020; Poon and Domingos, Sum-Product Networks: A New Deep
    Architecture, UAI 2011.

    Parameters
    ----------
    smoothing : float, default=0.1
        Smoothing: the number of pseudo-rows added to every column with levels, and to every bin
        of a histogram.
    smoothing_per : {"column", "level"}, optional
        Whether the pseudo-rows are per column, shared by its levels in proportion to their
        frequency in the table, or per level, which is Laplace smoothing. Default: per column,
        unless all columns have two levels.
    leaf : {"gaussian", "histogram"} or mapping of column name to them, default='gaussian'
        The leaves of integer, numeric and datetime columns without a scale; those not in a
        mapping are Gaussian. A column with histogram leaves has no scale. Columns with a scale,
        which are all others that are not declared plain, have leaves over its cells.
    max_iter : int, default=100
        The maximum number of EM passes through the rows.
    batch_rows : int, optional
        The number of distinct rows per parameter update; by default all rows. Smaller batches
        are faster on very large tables.
    held_out : float, default=0.1
        The share of the rows that is held out for early stopping; the circuit that scores best
        on them is kept. 0 learns from all rows.
    sum_smoothing : float, default=0.1
        Smoothing: pseudo-rows added to every sum, divided equally among its branches.
    structure : {"random", "poon-domingos"}, default='random'
        How regions are chosen: by random trees as in RatSpn, or as all intervals of
        neighbouring columns, each split at every position, which suits ordered columns such as
        time series.
    n_replicas : int, default=8
        The number of random trees of regions. It has an effect only if ``structure`` is
        'random'.
    depth : int, default=3
        How many times regions are halved. It has an effect only if ``structure`` is 'random'.
    n_pieces : int, default=8
        The approximate number of pieces that the columns are cut into. It has an effect only if
        ``structure`` is 'poon-domingos'.
    n_nodes : int, default=8
        The number of sums, or of products of leaves, per region.
    random_state : int or numpy.random.Generator, optional
        The source of randomness; the same number gives the same circuit.
    n_jobs : int, optional
        The number of threads, by default one per core; it does not change the circuit.
    verbose : {0, 1}, default=0
        Whether progress is shown in a terminal or notebook.
    on_interrupt : {"raise", "keep"}, default='raise'
        Whether Ctrl-C raises ``KeyboardInterrupt``, or stops learning and keeps the circuit so
        far.
    schema : Schema or mapping of column name to kind, Column or mapping, optional
        The schema of the table, or overrides of the inferred one: a kind, or settings such as
        ``{"scale": "plain"}`` or ``{"lower": 0, "missing": "modelled"}``.
    missing : {"unobserved", "modelled"}, default='unobserved'
        How a missing cell is treated: as unobserved, so that it is summed out, or as a value of
        its own, with a probability in every column with missing cells. Drawn rows then have
        missing cells as the data has, and ``model_.probability({"age": {None}})`` is defined. A
        ``Schema`` has this choice for each column.
    unknown : {"error", "missing"}, default='error'
        Whether an unknown level in a table, such as one that only rows to be scored have, is an
        error or treated as missing; methods can override it. An unknown level in a dict is
        always an error.

    Attributes
    ----------
    model_ : Model
        The circuit, which answers all questions; its methods are the estimator's too.
    schema_ : Schema
        The inferred schema: what each column is, and why.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if the table had any.

    Examples
    --------
    >>> import numpy as np
    >>> from softlearn import EinsumNetwork
    >>> rng = np.random.default_rng(0)
    >>> table = np.cumsum(rng.normal(size=(500, 6)), axis=1)  # a walk of six steps
    >>> learnt = EinsumNetwork(structure="poon-domingos", n_nodes=3, random_state=0).fit(table)
    >>> up, down = (learnt.expectation("5", given={"4": x}) for x in (2.0, -2.0))
    >>> up > down + 1
    True
    """

    smoothing: float
    smoothing_per: Literal["column", "level"] | None
    leaf: Literal["gaussian", "histogram"] | Mapping[str, Literal["gaussian", "histogram"]]
    max_iter: int
    batch_rows: int | None
    held_out: float
    sum_smoothing: float
    structure: Literal["random", "poon-domingos"]
    n_replicas: int
    depth: int
    n_pieces: int
    n_nodes: int
    random_state: RandomState
    n_jobs: int | None
    verbose: int
    on_interrupt: Literal["raise", "keep"]
    schema: Schema | Mapping[str, Choice] | None
    missing: Missing
    unknown: Unknown

    def __init__(
        self,
        *,
        smoothing: float = 0.1,
        smoothing_per: Literal["column", "level"] | None = None,
        leaf: Literal["gaussian", "histogram"] | Mapping[str, Literal["gaussian", "histogram"]] = "gaussian",
        max_iter: int = 100,
        batch_rows: int | None = None,
        held_out: float = 0.1,
        sum_smoothing: float = 0.1,
        structure: Literal["random", "poon-domingos"] = "random",
        n_replicas: int = 8,
        depth: int = 3,
        n_pieces: int = 8,
        n_nodes: int = 8,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        on_interrupt: Literal["raise", "keep"] = "raise",
        schema: Schema | Mapping[str, Choice] | None = None,
        missing: Missing = "unobserved",
        unknown: Unknown = "error",
    ) -> None: ...

class CutsetNetwork(CircuitEstimator):
    """Learn a tree of cuts, each by the levels of a column, with Chow–Liu trees below.

    Rows are cut by the discrete column that is most informative about the others, and again in
    each part; cuts that do not pay for their parameters are undone. Numbers are never cut; they
    are modelled by the trees.

    Use it if most probable completions should be exact and fast, or if discrete columns have
    complex dependencies. With 40 members it is among the most accurate.

    Reference: Rahman, Kothalkar and Gogate, Cutset Networks, ECML PKDD 2014; random cuts: Di
    Mauro et al., Fast and Accurate Density Estimation with Extremely Randomized Cutset
    Networks, ECML PKDD 2017.

    Parameters
    ----------
    smoothing : float, default=1.0
        Smoothing: pseudo-rows added to every column for each state of the column that it
        depends on.
    smoothing_per : {"column", "level"}, optional, default='column'
        Whether the pseudo-rows are per column, shared by its levels in proportion to their
        frequency, or per level, which is Laplace smoothing. None chooses as SoftLearn does.
    leaf : {"gaussian", "histogram"} or mapping of column name to them, default='gaussian'
        The leaves of integer, numeric and datetime columns without a scale; those not in a
        mapping are Gaussian. A column with histogram leaves has no scale. Columns with a scale,
        which are all others that are not declared plain, have leaves over its cells.
    n_members : int, default=1
        The number of networks, whose mean is the result.
    bootstrap : bool, optional
        Whether each of several circuits is learnt from rows drawn with replacement. By default
        they are, unless the learner is random anyway.
    variant : {"informative", "random"}, default='informative'
        Which column cuts the rows: the most informative about the others, or a random one, as
        in XCNet.
    penalty : float, optional
        The penalty per parameter, in units of half the logarithm of the number of rows; 1 is
        BIC. Cuts that do not pay for their parameters are undone. Default: 1, or 0 for random
        cuts.
    min_rows : int, default=300
        Parts with a smaller weight of rows are not cut.
    max_depth : int, optional
        The maximum number of cuts above a tree; 0 gives a single Chow–Liu tree.
    random_state : int or numpy.random.Generator, optional
        The source of randomness; the same number gives the same circuit.
    n_jobs : int, optional
        The number of threads, by default one per core; it does not change the circuit.
    verbose : {0, 1}, default=0
        Whether progress is shown in a terminal or notebook.
    on_interrupt : {"raise", "keep"}, default='raise'
        Whether Ctrl-C raises ``KeyboardInterrupt``, or stops learning and keeps the circuit so
        far.
    schema : Schema or mapping of column name to kind, Column or mapping, optional
        The schema of the table, or overrides of the inferred one: a kind, or settings such as
        ``{"scale": "plain"}`` or ``{"lower": 0, "missing": "modelled"}``.
    missing : {"unobserved", "modelled"}, default='unobserved'
        How a missing cell is treated: as unobserved, so that it is summed out, or as a value of
        its own, with a probability in every column with missing cells. Drawn rows then have
        missing cells as the data has, and ``model_.probability({"age": {None}})`` is defined. A
        ``Schema`` has this choice for each column.
    unknown : {"error", "missing"}, default='error'
        Whether an unknown level in a table, such as one that only rows to be scored have, is an
        error or treated as missing; methods can override it. An unknown level in a dict is
        always an error.

    Attributes
    ----------
    model_ : Model
        The circuit, which answers all questions; its methods are the estimator's too.
    schema_ : Schema
        The inferred schema: what each column is, and why.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if the table had any.

    Examples
    --------
    >>> import numpy as np
    >>> from softlearn import CutsetNetwork
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.random((2, 1000)) < 0.5
    >>> learnt = CutsetNetwork().fit(np.stack([a, b, a ^ b], axis=1))
    >>> learnt.model_.describe().deterministic
    True
    >>> round(learnt.model_.probability({"2": True}, given={"0": True, "1": True}), 1)
    0.0
    """

    smoothing: float
    smoothing_per: Literal["column", "level"] | None
    leaf: Literal["gaussian", "histogram"] | Mapping[str, Literal["gaussian", "histogram"]]
    n_members: int
    bootstrap: bool | None
    variant: Literal["informative", "random"]
    penalty: float | None
    min_rows: int
    max_depth: int | None
    random_state: RandomState
    n_jobs: int | None
    verbose: int
    on_interrupt: Literal["raise", "keep"]
    schema: Schema | Mapping[str, Choice] | None
    missing: Missing
    unknown: Unknown

    def __init__(
        self,
        *,
        smoothing: float = 1.0,
        smoothing_per: Literal["column", "level"] | None = "column",
        leaf: Literal["gaussian", "histogram"] | Mapping[str, Literal["gaussian", "histogram"]] = "gaussian",
        n_members: int = 1,
        bootstrap: bool | None = None,
        variant: Literal["informative", "random"] = "informative",
        penalty: float | None = None,
        min_rows: int = 300,
        max_depth: int | None = None,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        on_interrupt: Literal["raise", "keep"] = "raise",
        schema: Schema | Mapping[str, Choice] | None = None,
        missing: Missing = "unobserved",
        unknown: Unknown = "error",
    ) -> None: ...

class LearnPSDD(CircuitEstimator):
    """Learn a deterministic circuit whose products all follow one tree of the columns.

    Columns are paired by mutual information, then pairs are paired, and so on, into a tree (a
    vtree) that determines how every product divides its columns. Starting from independent
    columns, rows are split by a level of a column, and shared nodes are cloned for one of their
    parents, as long as the likelihood gains enough for each added edge. Parameters are shares
    of rows, in closed form. A mixture of several is fitted by EM.

    Use it if most probable completions should be exact, or if other programs for PSDDs are to
    read the circuit, which is text when saved as `*.psdd`. A mixture fits better, but is not
    deterministic.

    Reference: Liang, Bekker and Van den Broeck, Learning the Structure of Probabilistic
    Sentential Decision Diagrams, UAI 2017. Nodes are copied where it pays instead of down to a
    fixed depth, and columns may have more than two levels.

    Parameters
    ----------
    smoothing : float, default=5.0
        Smoothing: pseudo-rows added to every node, distributed as in the node that it was
        copied from.
    min_gain : float, default=0.5
        The minimum gain per edge that a change adds, in nats summed over all rows. Smaller
        values give larger circuits.
    min_rows : int, default=10
        Nodes with a smaller weight of rows are neither split nor cloned.
    max_edges : int, optional
        The approximate maximum number of edges; by default no limit but `min_gain`.
    held_out : float, default=0.1
        The share of the rows that is held out; a change that makes them less likely is
        rejected. 0 learns from all rows. The final parameters are estimated from all rows.
    n_members : int, default=1
        The number of circuits in the mixture, each grown from rows drawn with replacement.
    max_iter : int, default=30
        The maximum number of EM steps for the parameters of several circuits.
    random_state : int or numpy.random.Generator, optional
        The source of randomness; the same number gives the same circuit.
    n_jobs : int, optional
        The number of threads, by default one per core; it does not change the circuit.
    verbose : {0, 1}, default=0
        Whether progress is shown in a terminal or notebook.
    on_interrupt : {"raise", "keep"}, default='raise'
        Whether Ctrl-C raises ``KeyboardInterrupt``, or stops learning and keeps the circuit so
        far.
    schema : Schema or mapping of column name to kind, Column or mapping, optional
        The schema of the table, or overrides of the inferred one: a kind, or settings such as
        ``{"scale": "plain"}`` or ``{"lower": 0, "missing": "modelled"}``.
    missing : {"unobserved", "modelled"}, default='unobserved'
        How a missing cell is treated: as unobserved, so that it is summed out, or as a value of
        its own, with a probability in every column with missing cells. Drawn rows then have
        missing cells as the data has, and ``model_.probability({"age": {None}})`` is defined. A
        ``Schema`` has this choice for each column.
    unknown : {"error", "missing"}, default='error'
        Whether an unknown level in a table, such as one that only rows to be scored have, is an
        error or treated as missing; methods can override it. An unknown level in a dict is
        always an error.

    Attributes
    ----------
    model_ : Model
        The circuit, which answers all questions; its methods are the estimator's too.
    schema_ : Schema
        The inferred schema: what each column is, and why.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if the table had any.

    Examples
    --------
    >>> import numpy as np
    >>> from softlearn import LearnPSDD
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.random((2, 1000)) < 0.5
    >>> learnt = LearnPSDD(random_state=0).fit(np.stack([a, b, a & b], axis=1))
    >>> learnt.model_.describe().deterministic
    True
    >>> round(learnt.model_.probability({"2": True}, given={"0": True, "1": True}), 1)
    1.0
    """

    smoothing: float
    min_gain: float
    min_rows: int
    max_edges: int | None
    held_out: float
    n_members: int
    max_iter: int
    random_state: RandomState
    n_jobs: int | None
    verbose: int
    on_interrupt: Literal["raise", "keep"]
    schema: Schema | Mapping[str, Choice] | None
    missing: Missing
    unknown: Unknown

    def __init__(
        self,
        *,
        smoothing: float = 5.0,
        min_gain: float = 0.5,
        min_rows: int = 10,
        max_edges: int | None = None,
        held_out: float = 0.1,
        n_members: int = 1,
        max_iter: int = 30,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        on_interrupt: Literal["raise", "keep"] = "raise",
        schema: Schema | Mapping[str, Choice] | None = None,
        missing: Missing = "unobserved",
        unknown: Unknown = "error",
    ) -> None: ...

class RandomCircuits(CircuitEstimator):
    """Average circuits that split rows at random, with Chow–Liu trees below.

    Rows that are like a random one in a few random columns are separated from the others, and
    so on in both parts; the last parts are modelled by Chow–Liu trees. Splits are not searched
    for, so each circuit is learnt very fast; the accuracy comes from their mean.

    Use it, with many members, for an accurate model of a large table in seconds.

    Reference: Di Mauro et al., Random Probabilistic Circuits, UAI 2021.

    Parameters
    ----------
    smoothing : float, default=1.0
        Smoothing: pseudo-rows added to every column for each state of the column that it
        depends on.
    smoothing_per : {"column", "level"}, optional, default='column'
        Whether the pseudo-rows are per column, shared by its levels in proportion to their
        frequency, or per level, which is Laplace smoothing. None chooses as SoftLearn does.
    leaf : {"gaussian", "histogram"} or mapping of column name to them, default='gaussian'
        The leaves of integer, numeric and datetime columns without a scale; those not in a
        mapping are Gaussian. A column with histogram leaves has no scale. Columns with a scale,
        which are all others that are not declared plain, have leaves over its cells.
    n_members : int, default=10
        The number of circuits, whose mean is the result; 40 give better results and take
        longer.
    bootstrap : bool, optional
        Whether each of several circuits is learnt from rows drawn with replacement. By default
        they are, unless the learner is random anyway.
    n_conditions : int, default=1
        The maximum number of columns that a split depends on; their number and choice are
        random.
    min_rows : int, default=100
        The minimum weight of the rows in a part.
    random_state : int or numpy.random.Generator, optional
        The source of randomness; the same number gives the same circuit.
    n_jobs : int, optional
        The number of threads, by default one per core; it does not change the circuit.
    verbose : {0, 1}, default=0
        Whether progress is shown in a terminal or notebook.
    on_interrupt : {"raise", "keep"}, default='raise'
        Whether Ctrl-C raises ``KeyboardInterrupt``, or stops learning and keeps the circuit so
        far.
    schema : Schema or mapping of column name to kind, Column or mapping, optional
        The schema of the table, or overrides of the inferred one: a kind, or settings such as
        ``{"scale": "plain"}`` or ``{"lower": 0, "missing": "modelled"}``.
    missing : {"unobserved", "modelled"}, default='unobserved'
        How a missing cell is treated: as unobserved, so that it is summed out, or as a value of
        its own, with a probability in every column with missing cells. Drawn rows then have
        missing cells as the data has, and ``model_.probability({"age": {None}})`` is defined. A
        ``Schema`` has this choice for each column.
    unknown : {"error", "missing"}, default='error'
        Whether an unknown level in a table, such as one that only rows to be scored have, is an
        error or treated as missing; methods can override it. An unknown level in a dict is
        always an error.

    Attributes
    ----------
    model_ : Model
        The circuit, which answers all questions; its methods are the estimator's too.
    schema_ : Schema
        The inferred schema: what each column is, and why.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if the table had any.

    Examples
    --------
    >>> import numpy as np
    >>> from softlearn import ChowLiuTree, RandomCircuits
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.random((2, 2000)) < 0.5
    >>> table = np.stack([a, b, a ^ b], axis=1)
    >>> learnt = RandomCircuits(random_state=0).fit(table)
    >>> learnt.score(table) > ChowLiuTree().fit(table).score(table) + 0.3
    True
    """

    smoothing: float
    smoothing_per: Literal["column", "level"] | None
    leaf: Literal["gaussian", "histogram"] | Mapping[str, Literal["gaussian", "histogram"]]
    n_members: int
    bootstrap: bool | None
    n_conditions: int
    min_rows: int
    random_state: RandomState
    n_jobs: int | None
    verbose: int
    on_interrupt: Literal["raise", "keep"]
    schema: Schema | Mapping[str, Choice] | None
    missing: Missing
    unknown: Unknown

    def __init__(
        self,
        *,
        smoothing: float = 1.0,
        smoothing_per: Literal["column", "level"] | None = "column",
        leaf: Literal["gaussian", "histogram"] | Mapping[str, Literal["gaussian", "histogram"]] = "gaussian",
        n_members: int = 10,
        bootstrap: bool | None = None,
        n_conditions: int = 1,
        min_rows: int = 100,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        on_interrupt: Literal["raise", "keep"] = "raise",
        schema: Schema | Mapping[str, Choice] | None = None,
        missing: Missing = "unobserved",
        unknown: Unknown = "error",
    ) -> None: ...

class IdSpn(CircuitEstimator):
    """Learn direct interactions by trees of columns, and indirect ones by clusters of rows.

    Every slice of the table is modelled by a Chow–Liu tree, the direct interactions, unless
    splitting its columns or clustering its rows, the indirect ones, pays for its parameters.
    ID-SPN as published has Markov networks, as arithmetic circuits, where this has trees.

    Use it where pairs of columns depend on each other and the rows also form groups.

    Reference: Rooshenas and Lowd, Learning Sum-Product Networks with Direct and Indirect
    Variable Interactions, ICML 2014.

    Parameters
    ----------
    smoothing : float, default=1.0
        Smoothing: pseudo-rows added to every column for each state of the column that it
        depends on.
    smoothing_per : {"column", "level"}, optional, default='column'
        Whether the pseudo-rows are per column, shared by its levels in proportion to their
        frequency, or per level, which is Laplace smoothing. None chooses as SoftLearn does.
    leaf : {"gaussian", "histogram"} or mapping of column name to them, default='gaussian'
        The leaves of integer, numeric and datetime columns without a scale; those not in a
        mapping are Gaussian. A column with histogram leaves has no scale. Columns with a scale,
        which are all others that are not declared plain, have leaves over its cells.
    n_members : int, default=1
        The number of circuits, whose mean is the result.
    bootstrap : bool, optional
        Whether each of several circuits is learnt from rows drawn with replacement. By default
        they are, unless the learner is random anyway.
    significance : float, default=0.001
        Columns depend on each other when a G-test rejects independence at this level.
    n_clusters : int, default=2
        The maximum number of clusters per split.
    cluster_penalty : float, default=0.1
        The penalty for each additional cluster, in nats per column.
    penalty : float, default=0.5
        The penalty per parameter, in units of half the logarithm of the number of rows; 1 is
        BIC. Splits that do not pay for their parameters are undone.
    min_rows : int, default=50
        Nodes with a smaller weight of rows are not split.
    random_state : int or numpy.random.Generator, optional
        The source of randomness; the same number gives the same circuit.
    n_jobs : int, optional
        The number of threads, by default one per core; it does not change the circuit.
    verbose : {0, 1}, default=0
        Whether progress is shown in a terminal or notebook.
    on_interrupt : {"raise", "keep"}, default='raise'
        Whether Ctrl-C raises ``KeyboardInterrupt``, or stops learning and keeps the circuit so
        far.
    schema : Schema or mapping of column name to kind, Column or mapping, optional
        The schema of the table, or overrides of the inferred one: a kind, or settings such as
        ``{"scale": "plain"}`` or ``{"lower": 0, "missing": "modelled"}``.
    missing : {"unobserved", "modelled"}, default='unobserved'
        How a missing cell is treated: as unobserved, so that it is summed out, or as a value of
        its own, with a probability in every column with missing cells. Drawn rows then have
        missing cells as the data has, and ``model_.probability({"age": {None}})`` is defined. A
        ``Schema`` has this choice for each column.
    unknown : {"error", "missing"}, default='error'
        Whether an unknown level in a table, such as one that only rows to be scored have, is an
        error or treated as missing; methods can override it. An unknown level in a dict is
        always an error.

    Attributes
    ----------
    model_ : Model
        The circuit, which answers all questions; its methods are the estimator's too.
    schema_ : Schema
        The inferred schema: what each column is, and why.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if the table had any.

    Examples
    --------
    >>> import numpy as np
    >>> from softlearn import ChowLiuTree, IdSpn
    >>> rng = np.random.default_rng(0)
    >>> group = rng.random(1000) < 0.5
    >>> table = rng.random((1000, 6)) < np.where(group[:, None], 0.9, 0.2)
    >>> learnt = IdSpn(random_state=0).fit(table)
    >>> learnt.score(table) > ChowLiuTree().fit(table).score(table)
    True
    """

    smoothing: float
    smoothing_per: Literal["column", "level"] | None
    leaf: Literal["gaussian", "histogram"] | Mapping[str, Literal["gaussian", "histogram"]]
    n_members: int
    bootstrap: bool | None
    significance: float
    n_clusters: int
    cluster_penalty: float
    penalty: float
    min_rows: int
    random_state: RandomState
    n_jobs: int | None
    verbose: int
    on_interrupt: Literal["raise", "keep"]
    schema: Schema | Mapping[str, Choice] | None
    missing: Missing
    unknown: Unknown

    def __init__(
        self,
        *,
        smoothing: float = 1.0,
        smoothing_per: Literal["column", "level"] | None = "column",
        leaf: Literal["gaussian", "histogram"] | Mapping[str, Literal["gaussian", "histogram"]] = "gaussian",
        n_members: int = 1,
        bootstrap: bool | None = None,
        significance: float = 0.001,
        n_clusters: int = 2,
        cluster_penalty: float = 0.1,
        penalty: float = 0.5,
        min_rows: int = 50,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        on_interrupt: Literal["raise", "keep"] = "raise",
        schema: Schema | Mapping[str, Choice] | None = None,
        missing: Missing = "unobserved",
        unknown: Unknown = "error",
    ) -> None: ...
