"""Public data sets, verified by checksum, and synthetic worlds whose truth is known."""

from softlearn.datasets import worlds
from softlearn.datasets.catalogue import Info, available, fetch, info
from softlearn.datasets.debd import DEBD_NAMES, Splits, load_debd
from softlearn.datasets.mixed import MIXED_NAMES, Mixed, load_mixed
from softlearn.datasets.mnist import Images, load_mnist
from softlearn.datasets.tabular import TABULAR_NAMES, Tabular, load_tabular

__all__ = [
    "DEBD_NAMES",
    "MIXED_NAMES",
    "TABULAR_NAMES",
    "Images",
    "Info",
    "Mixed",
    "Splits",
    "Tabular",
    "available",
    "fetch",
    "info",
    "load_debd",
    "load_mixed",
    "load_mnist",
    "load_tabular",
    "worlds",
]
