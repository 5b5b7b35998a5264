"""Queries beside other libraries: ``python -m benchmarks.peers``."""
