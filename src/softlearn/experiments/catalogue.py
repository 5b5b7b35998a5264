"""All experiments by name, in the order of the report."""

from __future__ import annotations

from typing import Final

from softlearn.experiments.badcluster import BADCLUSTER
from softlearn.experiments.binary import BINARY
from softlearn.experiments.depth import DEPTH
from softlearn.experiments.experiment import Experiment
from softlearn.experiments.grid import GRID
from softlearn.experiments.mixed import MIXED
from softlearn.experiments.mnist import MNIST
from softlearn.experiments.records import RECORDS
from softlearn.experiments.samples import SAMPLES
from softlearn.experiments.systems import SYSTEMS

EXPERIMENTS: Final[dict[str, Experiment]] = {
    experiment.name: experiment
    for experiment in (BINARY, GRID, MIXED, SAMPLES, MNIST, BADCLUSTER, DEPTH, SYSTEMS, RECORDS)
}
