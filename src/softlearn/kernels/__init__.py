"""Numba kernels on plain arrays, without Python objects, input or output."""
