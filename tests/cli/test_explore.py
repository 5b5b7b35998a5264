"""The command that serves the explorer: it starts, answers, and ends on Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from urllib.request import urlopen

import pytest


@pytest.fixture
def served(model_file, table_file):
    command = [sys.executable, "-m", "softlearn", "explore", model_file, "--data", table_file]
    process = subprocess.Popen(
        [*map(str, command), "--no-browser", "--port", "0", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONWARNINGS": "error::UserWarning"},
    )
    yield process
    process.kill()
    process.communicate()


def test_it_serves_until_it_is_interrupted(served):
    url = json.loads(served.stdout.readline())["url"]
    with urlopen(url + "api/model") as reply:
        found = json.load(reply)
    assert (found["title"], found["n_rows"]) == ("patients", 4)
    with urlopen(url) as reply:
        assert b"softlearn" in reply.read()
    served.send_signal(signal.SIGINT)
    _, told = served.communicate(timeout=10)
    assert served.returncode == 0
    assert "Traceback" not in told


def test_a_busy_port_is_one_line(run, model_file):
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        result = run("explore", model_file, "--port", port, "--no-browser")
    assert result.exit_code == 2
    assert f"error: port {port} on 127.0.0.1 is busy; choose another one" in result.stderr


def test_a_missing_package_is_named(run, model_file, monkeypatch):
    for module in [name for name in sys.modules if name.startswith("softlearn.web")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    result = run("explore", model_file)
    assert result.exit_code == 2
    assert 'pip install "softlearn[web]"' in result.stderr
