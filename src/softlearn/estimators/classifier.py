"""Classification by a joint distribution: P(class | features), whatever features are known."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import ClassifierMixin

from softlearn.arrays import AnyArray, Floats
from softlearn.circuit import Circuit, Leaf, flatten
from softlearn.circuit.combine import mixture, product
from softlearn.estimators.built_on import (
    fit_learner,
    learner_like,
    schema_for,
    schema_for_parts,
    with_schema,
    with_share_of_time,
)
from softlearn.estimators.classified import ClassifiedRows, RowsHere, classified_parts
from softlearn.estimators.labels import Labels, read_labels, target_name
from softlearn.estimators.parameters import (
    ESTIMATOR,
    RANDOM_STATE,
    UNKNOWN,
    read_training_weights,
)
from softlearn.estimators.table_estimator import TableEstimator, lazy_answer
from softlearn.learn.parameters import parameter
from softlearn.learn.rules import one_of
from softlearn.model import Model
from softlearn.model.given import Frame, Unknown
from softlearn.model.randomness import RandomState
from softlearn.query import Evidence, log_likelihood
from softlearn.query.impossible_cells import without_impossible_cells
from softlearn.table import Column, Schema, decode, encode
from softlearn.table.partitioned import is_partitioned


@dataclass(eq=False, repr=False)
class CircuitClassifier(ClassifierMixin, TableEstimator):
    """Classify with a circuit over the features and the target.

    Missing features are summed out exactly. Unknown levels (unless they are rejected) and numbers
    that are impossible in the circuit are treated as missing.

    Parameters
    ----------
    estimator : estimator that learns a circuit, or the name of a learner, optional
        ``SoftLearn()`` by default; any estimator with a parameter ``schema`` and, after ``fit``, a
        ``model_``. ``"auto"`` is an ``AutoCircuit()``; with one circuit per class, its time is
        divided among the classes.
    structure : {"joint", "per_class"}
        ``"joint"`` learns the target like any other column. ``"per_class"`` learns a circuit for
        the features of each class and mixes them, weighted by the classes' shares. This is better
        if the dependencies between features differ by class, but its probabilities tend to be
        overconfident.
    random_state : int or numpy.random.Generator, optional
        The source of randomness, if the estimator has none of its own.
    unknown : {"missing", "error"}
        Whether unknown levels of features are treated as missing, or rejected.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    model_ : Model
        The joint distribution of the features and, as the last column, the target.
    target_name_ : str
        The target's name in the model: that of ``y`` if it has one, else ``"target"``, followed by
        underscores if a feature has that name.
    estimators_ : list
        The fitted learner, or the one of each class.
    n_features_in_, feature_names_in_
        As in ``SoftLearn``.

    Examples
    --------
    >>> import numpy as np
    >>> from softlearn import CircuitClassifier
    >>> x = np.random.default_rng(0).normal([[0.0, 1.0], [5.0, 4.0]] * 50, 0.5)  # (100, 2)
    >>> y = ["low", "high"] * 50
    >>> learnt = CircuitClassifier(random_state=0).fit(x, y)
    >>> learnt.predict([[0.1, np.nan], [np.nan, 4.0]])
    array(['low', 'high'], dtype='<U4')
    """

    estimator: Any = parameter(None, ESTIMATOR)
    _: KW_ONLY
    structure: Literal["joint", "per_class"] = parameter("joint", one_of("joint", "per_class"))
    random_state: RandomState = parameter(None, RANDOM_STATE)
    unknown: Unknown = parameter("missing", UNKNOWN)

    def fit(self, X: Frame, y: object, sample_weight: object = None) -> Self:  # noqa: N803
        """Learn the joint distribution of features and target.

        Parameters
        ----------
        X : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array
            The features, which may have missing cells. A Dask DataFrame or Array is read partition
            by partition.
        y : array of shape (rows,)
            The class of each row: text, whole numbers or booleans. For a Dask table, a Dask Series
            or Array with the same partitions, or the name of a column.
        sample_weight : array of shape (rows,), optional
            The weight of each row: 2 counts it twice, 0 ignores it. For a Dask table, as ``y``.
        """
        self._read_parameters()
        learner = learner_like(self.estimator, self.random_state)
        if is_partitioned(X):
            parts = classified_parts(X, y, sample_weight, type(self).__name__)
            schema = schema_for_parts(learner, parts.rows)
            self._learn(learner, parts, parts.sizes.classes, schema, target_name(y, schema.names))
            self._remember_columns(decode(np.empty((len(schema), 0)), schema))
            return self
        table = self._first_table(X)
        labels, weights = self._read_target(table, y, sample_weight)
        schema = schema_for(learner, table, weights)
        rows = RowsHere(table, labels, weights)
        self._learn(learner, rows, labels.classes, schema, target_name(y, schema.names))
        self._remember_columns(table)
        return self

    def _learn(
        self,
        learner: Any,  # noqa: ANN401
        rows: ClassifiedRows,
        classes: AnyArray,
        schema: Schema,
        name: str,
    ) -> None:
        features = replace(schema, numbered=False)
        levels = tuple(classes.tolist())
        target = Column(name, "categorical", levels, reason="the target")
        learn = _learn_jointly if self.structure == "joint" else _learn_by_class
        self.estimators_, self.model_ = learn(learner, rows, features, target)
        self.classes_, self.target_name_ = classes, name
        self._features = features

    def predict(self, X: Frame) -> AnyArray:  # noqa: N803
        """Return the most probable class of each row, (rows,)."""
        if is_partitioned(X):
            wanted = self.target_name_, self.classes_.dtype
            return lazy_answer(self, "predict", X, *wanted)
        joint = self._log_joint(X)
        found: AnyArray = self.classes_[np.argmax(joint, axis=1)]
        return found

    def predict_proba(self, X: Frame) -> Floats:  # noqa: N803
        """Return P(class | features) of each row, (rows, classes), in the order of ``classes_``.

        The columns of a Dask DataFrame are named by the classes.
        """
        if is_partitioned(X):
            return lazy_answer(self, "predict_proba", X, self._class_names, float)
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: Frame) -> Floats:  # noqa: N803
        """Return log P(class | features), (rows, classes); an impossible class has −inf."""
        if is_partitioned(X):
            return lazy_answer(self, "predict_log_proba", X, self._class_names, float)
        joint = self._log_joint(X)
        return joint - np.logaddexp.reduce(joint, axis=1, keepdims=True)

    def decision_function(self, X: Frame) -> Floats:  # noqa: N803
        """Return log-odds: of the second of two classes, (rows,), else of each, (rows, classes)."""
        if is_partitioned(X):
            names = self._class_names if self.classes_.size > 2 else "log_odds"
            return lazy_answer(self, "decision_function", X, names, float)
        joint = self._log_joint(X)
        if self.classes_.size == 2:
            return np.asarray(joint[:, 1] - joint[:, 0])
        others = [
            np.logaddexp.reduce(np.delete(joint, i, axis=1), axis=1) for i in range(joint.shape[1])
        ]
        return np.asarray(joint - np.stack(others, axis=1))

    @property
    def _class_names(self) -> tuple[str, ...]:
        return tuple(map(str, self.classes_.tolist()))

    def _read_target(self, table: Frame, y: object, sample_weight: object) -> tuple[Labels, Floats]:
        n_rows = table.shape[0]
        weights = read_training_weights(sample_weight, n_rows)
        return read_labels(y, weights, type(self).__name__), weights

    def _log_joint(self, X: Frame) -> Floats:  # noqa: N803
        """Return log P(class, features), (rows, classes)."""
        table = self._same_table(X)
        circuit = self.model_.circuit
        features = encode(table, self._features, unknown=self.unknown)
        n_rows = features.shape[1]
        values = without_impossible_cells(
            circuit, np.vstack([features, np.full((1, n_rows), np.nan)])
        )
        joint = np.empty((n_rows, self.classes_.size))
        for code in range(self.classes_.size):
            values[-1] = code
            joint[:, code] = log_likelihood(circuit, Evidence(values))
        return joint


def _learn_jointly(
    learner: Any,  # noqa: ANN401
    rows: ClassifiedRows,
    features: Schema,
    target: Column,
) -> tuple[list[Any], Model]:
    """Learn the target as the last column of the table."""
    schema = replace(features, columns=(*features.columns, target))
    learning = with_schema(learner, schema)
    return [learning], fit_learner(learning, *rows.with_target(target.name))


def _learn_by_class(
    learner: Any,  # noqa: ANN401
    rows: ClassifiedRows,
    features: Schema,
    target: Column,
) -> tuple[list[Any], Model]:
    """Learn the features of each class, and mix the circuits by the classes' shares."""
    learners, circuits, shares = [], [], []
    for code in range(target.n_levels):
        learning = with_schema(learner_like(learner), features)
        learning = with_share_of_time(learning, target.n_levels)
        own = fit_learner(learning, *rows.of_class(code)).circuit
        circuits.append(product([own, _always(code, target, features.frame)]))
        shares.append(rows.share(code))
        learners.append(learning)
    return learners, Model(mixture(circuits, shares))


def _always(code: int, target: Column, frame: Any) -> Circuit:  # noqa: ANN401 - as a schema has it
    """Return the circuit of a target that is always this class."""
    sure = tuple(float(level == code) for level in range(target.n_levels))
    leaf = Leaf(target.name, "categorical", sure, target.levels)
    return flatten(leaf, Schema((target,), frame))
