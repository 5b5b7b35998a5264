"""The explorer: a page in the browser for querying a model, and its JSON API."""

from softlearn.web.explorer import Explorer, explore, serve

__all__ = ["Explorer", "explore", "serve"]
