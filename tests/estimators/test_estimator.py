"""The methods that scikit-learn expects, and that do not come from its base class."""

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import get_routing_for_object

from softlearn import SoftlearnError
from softlearn.estimators import CircuitClassifier, CircuitMixture, LearnSPN, SoftLearn


def test_deep_parameters_are_those_of_the_inner_estimator_too():
    outer = CircuitMixture(SoftLearn(n_clusters=3), n_estimators=2)
    assert outer.get_params()["estimator__n_clusters"] == 3
    assert "estimator__n_clusters" not in outer.get_params(deep=False)
    assert set(outer.get_params(deep=False)) < set(outer.get_params())


def test_parameters_are_set_at_every_depth():
    outer = CircuitMixture(SoftLearn())
    assert outer.set_params(estimator__n_clusters=4, n_estimators=3) is outer
    assert (outer.estimator.n_clusters, outer.n_estimators) == (4, 3)
    outer.set_params(estimator__n_clusters=5, estimator=LearnSPN())  # the new one gets it
    assert (type(outer.estimator), outer.estimator.n_clusters) == (LearnSPN, 5)


@pytest.mark.parametrize("name", ["clusters", "clusters__seed", "fit", "_metadata_request"])
def test_an_unknown_parameter_is_refused_and_nothing_is_set(name):
    learner = SoftLearn()
    with pytest.raises(SoftlearnError, match=f"Invalid parameter '{name}'"):
        learner.set_params(**{"n_clusters": 3, name: 1})
    assert learner.n_clusters == SoftLearn().n_clusters


def test_the_text_has_what_was_chosen():
    assert repr(SoftLearn()) == "SoftLearn()"
    assert (
        repr(SoftLearn(random_state=0, n_clusters=3)) == "SoftLearn(n_clusters=3, random_state=0)"
    )
    inner = CircuitClassifier(LearnSPN(leaf={"x": "histogram"}))
    assert repr(inner) == "CircuitClassifier(estimator=LearnSPN(leaf={'x': 'histogram'}))"


def test_a_notebook_shows_it_as_scikit_learns_own():
    assert "n_clusters" in SoftLearn(n_clusters=3)._repr_html_()


def test_tags():
    assert get_tags(SoftLearn()).estimator_type == "density_estimator"
    assert get_tags(CircuitClassifier()).estimator_type == "classifier"
    assert get_tags(CircuitClassifier()).target_tags.required
    assert not get_tags(SoftLearn()).target_tags.required


def test_requests_of_metadata_are_kept_by_clones():
    with sklearn.config_context(enable_metadata_routing=True):
        learner = clone(SoftLearn().set_fit_request(sample_weight="counts"))
        learner.set_score_request(sample_weight=True, unknown=False)
        request = get_routing_for_object(learner)
    assert request.fit.requests == {"sample_weight": "counts"}
    assert request.score.requests == {"sample_weight": True, "unknown": False}
    assert get_routing_for_object(SoftLearn()).fit.requests == {"sample_weight": None}


def test_only_metadata_of_the_method_can_be_requested():
    with pytest.raises(TypeError, match="no argument 'weights'; it takes sample_weight"):
        SoftLearn().set_fit_request(weights=True)
    assert not hasattr(SoftLearn(), "set_predict_request")  # it has no predict
    assert hasattr(CircuitClassifier(), "set_score_request")


def test_a_clone_shares_nothing_that_can_change():
    leaf = {"x": "histogram"}
    copy = clone(SoftLearn(leaf=leaf, random_state=np.random.default_rng(0)))
    leaf["x"] = "gaussian"
    assert copy.leaf == {"x": "histogram"}
