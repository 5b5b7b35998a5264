"""Reproduce the paper's tables and figures, each with one command, beside the published ones."""

from softlearn.experiments.catalogue import EXPERIMENTS
from softlearn.experiments.cell import Cell, Row
from softlearn.experiments.choices import Choices
from softlearn.experiments.experiment import Experiment, Produced, reproduce
from softlearn.experiments.report import write_report

__all__ = [
    "EXPERIMENTS",
    "Cell",
    "Choices",
    "Experiment",
    "Produced",
    "Row",
    "reproduce",
    "write_report",
]
