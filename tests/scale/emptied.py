"""Helper to check that files without references are removed."""

import gc
import time


def is_emptied(folder, seconds=30.0):
    """Return whether all files are removed in time; Dask's client releases them in a thread."""
    ends = time.monotonic() + seconds
    while list(folder.iterdir()) and time.monotonic() < ends:
        gc.collect()
        time.sleep(0.1)
    return not list(folder.iterdir())
