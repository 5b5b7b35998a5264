"""What scikit-learn expects of every estimator, without loading scikit-learn.

Its own base class takes longer to import than all of softlearn, and most programs that learn a
circuit use nothing else of it. So these are the same methods, and what needs scikit-learn's classes
loads them when scikit-learn, or a notebook, asks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from inspect import Parameter, Signature, signature
from typing import Any, Final, Self

from softlearn.errors import SoftlearnError

# The methods to which scikit-learn passes more than a table and a target, if it is asked to.
ROUTED: Final = (
    "fit",
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "score",
    "transform",
)


class Estimator:
    """A dataclass whose fields are the parameters of a scikit-learn estimator."""

    def __init_subclass__(cls) -> None:
        """Give each method that has metadata its ``set_…_request``."""
        for method in ROUTED:
            names = _metadata_of(cls, method)
            if names:
                setattr(cls, f"set_{method}_request", _request_setter(method, names))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        Parameters
        ----------
        deep : bool
            Whether to include parameters of parameters that are estimators, as ``estimator__seed``.
        """
        found = {}
        for name in _names(self):
            value = found[name] = getattr(self, name)
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                found.update({f"{name}__{key}": one for key, one in value.get_params().items()})
        return found

    def set_params(self, **params: Any) -> Self:  # noqa: ANN401 - parameters are of all types
        """Set parameters, or with ``estimator__seed`` those of a parameter; return ``self``."""
        unknown = [name for name in params if name.partition("__")[0] not in _names(self)]
        if unknown:
            raise SoftlearnError(
                f"Invalid parameter {unknown[0]!r} for estimator {self}. "
                f"Valid parameters are: {_names(self)}."
            )
        inner: dict[str, dict[str, Any]] = {}
        for key, value in params.items():
            name, nested, rest = key.partition("__")
            if nested:
                inner.setdefault(name, {})[rest] = value
            else:
                setattr(self, name, value)
        for name, own in inner.items():
            getattr(self, name).set_params(**own)
        return self

    def get_metadata_routing(self) -> Any:  # noqa: ANN401 - scikit-learn has no types
        """Return which metadata the methods request, as scikit-learn's ``MetadataRequest``."""
        from sklearn.utils.metadata_routing import (  # noqa: PLC0415 - loads much
            MetadataRequest,
            get_routing_for_object,
        )

        if hasattr(self, "_metadata_request"):
            return get_routing_for_object(self._metadata_request)  # a copy
        request = MetadataRequest(owner=self)
        for method in ROUTED:
            for name in _metadata_of(type(self), method):
                getattr(request, method).add_request(param=name, alias=None)
        return request

    def __repr__(self) -> str:
        """Return a call with the parameters that are not at their defaults."""
        given = [
            f"{one.name}={getattr(self, one.name)!r}"
            for one in fields(self)  # type: ignore[arg-type]  # subclasses are dataclasses
            if repr(getattr(self, one.name)) != repr(one.default)
        ]
        return f"{type(self).__name__}({', '.join(given)})"

    def _repr_html_(self) -> str:
        from sklearn.utils import estimator_html_repr  # noqa: PLC0415 - loads much

        shown: str = estimator_html_repr(self)
        return shown

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401 - scikit-learn has no types
        from sklearn.utils import Tags, TargetTags  # noqa: PLC0415 - loads much

        return Tags(estimator_type=None, target_tags=TargetTags(required=False))


def _names(estimator: Estimator) -> list[str]:
    return sorted(one.name for one in fields(estimator))  # type: ignore[arg-type]


def _metadata_of(cls: type, method: str) -> list[str]:
    """Return the parameters of a method that are neither its table nor its target."""
    found = getattr(cls, method, None)
    if found is None:
        return []
    named = Parameter.KEYWORD_ONLY, Parameter.POSITIONAL_OR_KEYWORD
    own = signature(found).parameters.values()
    return [one.name for one in own if one.kind in named and one.name not in {"self", "X", "y"}]


def _request_setter(method: str, names: list[str]) -> Callable[..., Any]:
    def set_request(self: Any, **requests: Any) -> Any:  # noqa: ANN401 - becomes a method
        unknown = sorted(set(requests) - set(names))
        if unknown:
            raise TypeError(
                f"set_{method}_request has no argument {unknown[0]!r}; it takes {', '.join(names)}"
            )
        request = self.get_metadata_routing()
        for name, wanted in requests.items():
            getattr(request, method).add_request(param=name, alias=wanted)
        self._metadata_request = request  # scikit-learn's ``clone`` copies it
        return self

    takes = [Parameter("self", Parameter.POSITIONAL_ONLY)]
    takes += [
        Parameter(one, Parameter.KEYWORD_ONLY, annotation="bool | str | None") for one in names
    ]
    set_request.__signature__ = Signature(takes)  # type: ignore[attr-defined]
    set_request.__name__ = f"set_{method}_request"
    set_request.__doc__ = (
        f"Choose whether metadata routing passes {' and '.join(names)} to ``{method}``.\n\n"
        "True passes a value if there is one, False never does, None makes it an error, and a\n"
        "text is the name under which it is passed."
    )
    return set_request
