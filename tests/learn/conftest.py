"""A published table, for tests that compare with published figures."""

from __future__ import annotations

import pytest

from softlearn.datasets import Splits, load_debd
from softlearn.errors import SoftlearnError


@pytest.fixture(scope="session")
def nltcs() -> Splits:
    """The smallest of the binary sets, if it can be had."""
    try:
        return load_debd("nltcs")
    except SoftlearnError as missing:
        pytest.skip(str(missing))
