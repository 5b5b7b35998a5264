"""Grow a circuit: tests of independence, slices of the table, the loop over open slices."""
