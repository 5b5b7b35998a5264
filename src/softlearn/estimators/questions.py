"""The methods of ``Model`` on fitted estimators."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, Concatenate, ParamSpec, TypeVar

from softlearn.model import Model

P = ParamSpec("P")
Answer = TypeVar("Answer")


def _asked(
    question: Callable[Concatenate[Model, P], Answer],
) -> Callable[Concatenate[Any, P], Answer]:
    """Return a method of ``Model`` as an estimator's, with the same signature and docstring.

    Only the default of ``unknown``, if the method has it, is the estimator's.
    """
    takes_unknown = "unknown" in signature(question).parameters

    @wraps(question)
    def ask(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> Answer:  # noqa: ANN401
        if takes_unknown:
            kwargs.setdefault("unknown", self.unknown)
        return question(self._fitted(), *args, **kwargs)

    return ask


class ModelQuestions:
    """The query methods of ``Model`` on an estimator, which delegates to its ``model_``."""

    probability = _asked(Model.probability)
    distribution = _asked(Model.distribution)
    distributions = _asked(Model.distributions)
    expectation = _asked(Model.expectation)
    variance = _asked(Model.variance)
    covariance = _asked(Model.covariance)
    mutual_information = _asked(Model.mutual_information)
    entropy = _asked(Model.entropy)
    impute = _asked(Model.impute)
    most_probable = _asked(Model.most_probable)
    describe = _asked(Model.describe)
    describe_columns = _asked(Model.describe_columns)
    save = _asked(Model.save)
