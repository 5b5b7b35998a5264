"""Kernels are plain Python too: a debugger can walk through them, and indices are checked."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_marked_tests_pass_without_the_compiler():
    chosen = ["-m", "jit_off", "tests/kernels", "tests/learn/test_grow.py"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *chosen],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
