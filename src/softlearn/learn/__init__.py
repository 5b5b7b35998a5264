"""Learn a circuit's structure and parameters from weighted rows."""

from softlearn.learn.blocks import Block
from softlearn.learn.config import GrowConfig
from softlearn.learn.entry import Entry, Promises, Takes
from softlearn.learn.registry import LEARNERS
from softlearn.learn.watch import Engine, Progress

__all__ = ["LEARNERS", "Block", "Engine", "Entry", "GrowConfig", "Progress", "Promises", "Takes"]
