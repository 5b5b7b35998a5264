"""Replace the parameters of a circuit, keeping its structure."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit.flat import Circuit
from softlearn.circuit.properties import parameter_violations
from softlearn.errors import CircuitError


def with_parameters(
    circuit: Circuit, *, weight: Floats | None = None, params: Floats | None = None
) -> Circuit:
    """Return the circuit with other weights or leaf parameters, on the same structure.

    What queries compile from the structure is used again, so that this is the way to change
    numbers step by step. Only the numbers are checked: the structure is as sound as it was.

    Parameters
    ----------
    circuit
        A sound circuit.
    weight
        (edges,) the new weights, 1 on the edges of products; by default the circuit's own.
    params
        The new parameters of all leaves, laid out as ``circuit.params``; by default its own.
    """
    new_weight = circuit.weight if weight is None else np.asarray(weight)
    new_params = circuit.params if params is None else np.asarray(params)
    wrong = [
        f"{name} has shape {new.shape}, expected {own.shape}"
        for name, new, own in (
            ("weight", new_weight, circuit.weight),
            ("params", new_params, circuit.params),
        )
        if new.shape != own.shape
    ]
    if wrong:
        raise CircuitError(wrong)
    made = replace(circuit, weight=new_weight, params=new_params)
    made.__dict__["structure"] = circuit.structure
    wrong = parameter_violations(made)
    if wrong:
        raise CircuitError(wrong)
    return made
