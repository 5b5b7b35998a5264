"""Learn a circuit's structure and parameters from weighted rows."""

from softlearn.learn.config import GrowConfig, usual_choices
from softlearn.learn.learners import LEARNERS, Block
from softlearn.learn.watch import Engine, Progress

__all__ = ["LEARNERS", "Block", "Engine", "GrowConfig", "Progress", "usual_choices"]
