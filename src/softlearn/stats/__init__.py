"""Measurements that learners share, on plain arrays of weighted rows."""
