"""Parts of LearnPSDD: the tree of the columns, the growing circuit, and what to change next."""
