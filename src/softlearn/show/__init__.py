"""Models in words and pictures."""

from softlearn.show import plots
from softlearn.show.dependence import Dependence
from softlearn.show.findings import Findings, Group, Size
from softlearn.show.shifts import LevelShift, NumberShift
from softlearn.show.tell import tell

__all__ = [
    "Dependence",
    "Findings",
    "Group",
    "LevelShift",
    "NumberShift",
    "Size",
    "plots",
    "tell",
]
