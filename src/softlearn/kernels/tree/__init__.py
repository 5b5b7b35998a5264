"""Trees of columns."""
