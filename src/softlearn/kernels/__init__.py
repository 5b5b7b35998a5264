"""Numba functions on plain arrays: no Python objects, no input or output, nothing of our own."""
