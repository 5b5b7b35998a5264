"""What changes of a growing PSDD are worth."""
