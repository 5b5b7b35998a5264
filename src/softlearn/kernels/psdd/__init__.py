"""The gain of changes to a growing PSDD."""
