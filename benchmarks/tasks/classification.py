"""The target is predicted from complete training rows; features of the test rows go missing."""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.metrics import log_loss
from sklearn.naive_bayes import GaussianNB

from benchmarks.tasks.measured import MIXTURE, SINGLE, Measured, circuits
from benchmarks.tasks.one_hot import OneHot
from benchmarks.tasks.split import Split, with_holes
from softlearn import CircuitClassifier

MISSING = (0, 30, 60)  # percent


def measure(system: str, split: Split) -> Measured:
    """Judge one classifier by test rows with more and more missing features."""
    split, rng = split.with_floats(), split.rng()
    features, target = split.train.drop(columns=split.target), split.train[split.target]
    classifier, encode = SYSTEMS[system](split, features)
    measured = Measured()
    with measured.fitting():
        classifier.fit(encode(features), target.astype(str))
    asked, truth = split.test.drop(columns=split.target), split.test[split.target].astype(str)
    for percent in MISSING:
        rows = encode(with_holes(asked, percent / 100, rng))
        with measured.answering():
            chances = classifier.predict_proba(rows)
        predicted = classifier.classes_[chances.argmax(axis=1)]
        measured.figures |= {
            f"accuracy at {percent} %": float(np.mean(predicted == truth.to_numpy())),
            f"log-loss at {percent} %": _log_loss(truth, chances, classifier.classes_),
        }
    return measured


def _log_loss(truth, chances, classes):
    """Return scikit-learn's log-loss, which takes 0 for the smallest number that floats know."""
    return float(log_loss(truth, chances / chances.sum(axis=1, keepdims=True), labels=classes))


def _circuit(learner):
    def build(split, features):
        schema = _kinds(split, features)
        return CircuitClassifier(circuits(split.seed, schema=schema)[learner]), _as_it_is

    return build


def _kinds(split, features):
    """Return what is known of the features, by name."""
    return {column.name: column for column in split.schema.columns if column.name in features}


def _boosting(split, features):
    return HistGradientBoostingClassifier(random_state=split.seed), _as_it_is


def _filled(classifier):
    def build(split, features):
        usual = {name: _usual(features[name], name in split.categorical) for name in features}
        one_hot = OneHot(split.schema, features)
        return classifier(split.seed), lambda frame: one_hot.encode(frame.fillna(usual))

    return build


def _usual(column, is_categorical):
    return column.mode()[0] if is_categorical else column.mean()


def _as_it_is(frame):
    return frame


SYSTEMS = {
    SINGLE: _circuit(SINGLE),
    MIXTURE: _circuit(MIXTURE),
    "HistGradientBoosting": _boosting,
    "RandomForest, imputed": _filled(
        lambda seed: RandomForestClassifier(random_state=seed, n_jobs=-1)
    ),
    "GaussianNB, imputed": _filled(lambda _: GaussianNB()),
}
