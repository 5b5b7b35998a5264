"""What a user does with tables, by circuits and by what people use today, in one run."""
