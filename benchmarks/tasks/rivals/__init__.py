"""Scripts that run in environments of their own; nothing here is imported by the benchmark."""
