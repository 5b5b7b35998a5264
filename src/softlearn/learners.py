"""The registry of learners: the estimator's name and the module of each.

A learner's file has an ``ENTRY`` that says all that is to be known of it (``learn/entry.py``).
Nothing is imported here, so that the names cost nothing.
"""

from __future__ import annotations

from typing import Final

DEFAULT_LEARNER: Final = "softlearn"  # where the caller names none
# In the order of the docs.
LEARNER_FILES: Final[dict[str, str]] = {
    "SoftLearn": "softlearn.learn.softlearn",
    "LearnSPN": "softlearn.learn.learnspn",
    "ChowLiuTree": "softlearn.learn.chowliutree",
    "HCLT": "softlearn.learn.hclt",
    "RatSpn": "softlearn.learn.rat_spn",
    "EinsumNetwork": "softlearn.learn.einsum_network",
    "CutsetNetwork": "softlearn.learn.cutsetnetwork",
    "LearnPSDD": "softlearn.learn.learnpsdd",
    "RandomCircuits": "softlearn.learn.randomcircuits",
    "IdSpn": "softlearn.learn.idspn",
}
