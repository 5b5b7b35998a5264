"""The explorer: a page in the browser on which a model is asked, and the JSON behind it."""

from softlearn.web.explorer import Explorer, explore, serve

__all__ = ["Explorer", "explore", "serve"]
