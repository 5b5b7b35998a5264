"""The best mixture of circuits that a table, and a bound of time or work, allow."""

from softlearn.learn.search.ahead import Workers
from softlearn.learn.search.bounds import Bounds, News
from softlearn.learn.search.search import Found, Options, search
from softlearn.learn.search.trial import Candidate, Trial

__all__ = ["Bounds", "Candidate", "Found", "News", "Options", "Trial", "Workers", "search"]
