"""A walk through the library, in a world whose truth is known: ``softlearn demo``."""

from softlearn.demo.walk import main

__all__ = ["main"]
