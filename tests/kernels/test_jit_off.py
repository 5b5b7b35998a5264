"""Kernels are plain Python too: a debugger can walk through them, and indices are checked."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run_marked(settings: dict[str, str], *chosen: str) -> None:
    """Run marked tests in a process whose Numba is set up otherwise."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-m", "jit_off", *chosen],
        cwd=ROOT,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_the_marked_tests_pass_without_the_compiler():
    run_marked({"NUMBA_DISABLE_JIT": "1"}, "tests/kernels", "tests/learn/test_grow.py")


@pytest.mark.slow
def test_no_kernel_reads_or_writes_beyond_an_array(tmp_path):
    """Compiled code does not look, and returns garbage; here it looks, in a cache of its own."""
    settings = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    run_marked(settings, "tests/kernels")
