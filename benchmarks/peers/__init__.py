"""Queries beside other libraries, in an environment of their own: ``python -m benchmarks.peers``."""
