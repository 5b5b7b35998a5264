"""Statistics of weighted rows, shared by the learners."""
