"""One file per command: its options as a frozen dataclass, and ``run``, which calls and prints."""
