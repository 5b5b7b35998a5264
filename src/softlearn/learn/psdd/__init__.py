"""Parts of LearnPSDD: the column tree, the growing circuit, and the search for changes."""
