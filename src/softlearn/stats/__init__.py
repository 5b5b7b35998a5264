"""Statistics of weighted rows, for all learners."""
