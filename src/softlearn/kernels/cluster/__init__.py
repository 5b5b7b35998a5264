"""Cluster weighted rows: k-means and EM."""
