"""Tables to learn from, checked before they are handed out."""

from softlearn.datasets.debd import DEBD_NAMES, Splits, load_debd

__all__ = ["DEBD_NAMES", "Splits", "load_debd"]
