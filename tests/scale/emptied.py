"""Whether files that nobody needs any more go."""

import gc
import time


def is_emptied(folder, seconds=30.0):
    """Return whether all files go; Dask's client lets go of them in a thread of its own."""
    ends = time.monotonic() + seconds
    while list(folder.iterdir()) and time.monotonic() < ends:
        gc.collect()
        time.sleep(0.1)
    return not list(folder.iterdir())
