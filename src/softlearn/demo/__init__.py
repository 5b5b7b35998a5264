"""The demo, a tour of the library on rows from a known distribution: ``softlearn demo``."""

from softlearn.demo.walk import main

__all__ = ["main"]
