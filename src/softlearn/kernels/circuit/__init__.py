"""Evaluate circuits: a program of instructions, run on blocks of rows."""
