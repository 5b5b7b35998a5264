"""Settings that are similar to given ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from inspect import get_annotations

from softlearn.learn.registry import LEARNERS
from softlearn.learn.search.trial import Candidate


def variants(candidate: Candidate, known: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates with one parameter one step up or down its grid, unless they are known.

    A learner's own parameters come before those that it shares with others.
    """
    parameters = LEARNERS[candidate.learner].parameters
    defaults = {name: one.default for name, one in parameters.items()}
    seen = [{**defaults, **one.settings} for one in known if one.learner == candidate.learner]
    own = {**defaults, **candidate.settings}
    found = []
    of_this_learner = get_annotations(LEARNERS[candidate.learner].config)  # without inherited ones
    for name in sorted(parameters, key=lambda name: name not in of_this_learner):
        parameter = parameters[name]
        grid = parameter.wide
        if own[name] not in grid or isinstance(own[name], str) or not parameter.matters(own):
            continue
        place = grid.index(own[name])
        for value in (*grid[place + 1 : place + 2], *grid[max(place - 1, 0) : place]):
            if {**own, name: value} not in seen:
                settings = {**candidate.settings, name: value}
                found.append(replace(candidate, settings=settings))
    return found
