"""Search for the best mixture of circuits for a table, within limits of time or work."""

from softlearn.learn.search.ahead import Workers
from softlearn.learn.search.bounds import Bounds, News
from softlearn.learn.search.search import Found, Goal, Options, search
from softlearn.learn.search.trial import Candidate, Trial

__all__ = [
    "Bounds",
    "Candidate",
    "Found",
    "Goal",
    "News",
    "Options",
    "Trial",
    "Workers",
    "search",
]
