"""The strict world of conftest.py is really strict."""

from __future__ import annotations

import socket

import numpy as np
import pytest

ELSEWHERE = ("192.0.2.1", 80)  # an address that is reserved for examples


@pytest.mark.parametrize("name", ["normal", "rand", "random", "shuffle", "choice"])
def test_the_global_generator_refuses(name):
    with pytest.raises(pytest.fail.Exception, match="global generator"):
        getattr(np.random, name)(3)


@pytest.mark.parametrize("name", ["connect", "connect_ex"])
def test_the_network_is_out_of_reach(name):
    with socket.socket() as line, pytest.raises(pytest.fail.Exception, match="without a network"):
        getattr(line, name)(ELSEWHERE)


def test_this_machine_is_within_reach():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as line:
        line.connect(server.getsockname())
