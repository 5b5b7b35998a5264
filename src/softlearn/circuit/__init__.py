"""Circuits: a build form to write by hand, and a flat form to compute with."""

from softlearn.circuit.columns import cells_of, same_shape
from softlearn.circuit.describe import Description, describe
from softlearn.circuit.export import to_dot, to_networkx
from softlearn.circuit.file import load_circuit, save_circuit
from softlearn.circuit.flat import LEAF, PRODUCT, SUM, Circuit
from softlearn.circuit.flatten import build_form, flatten
from softlearn.circuit.layout import NodeList, lay_out
from softlearn.circuit.nodes import (
    Categorical,
    Gaussian,
    Histogram,
    Leaf,
    Node,
    Product,
    Scaled,
    Sum,
)
from softlearn.circuit.parameters import with_parameters
from softlearn.circuit.properties import validate, violations
from softlearn.circuit.rewrite import marginal, over_cells, over_parts
from softlearn.circuit.scopes import scopes, single_column
from softlearn.circuit.structure import Structure

__all__ = [
    "LEAF",
    "PRODUCT",
    "SUM",
    "Categorical",
    "Circuit",
    "Description",
    "Gaussian",
    "Histogram",
    "Leaf",
    "Node",
    "NodeList",
    "Product",
    "Scaled",
    "Structure",
    "Sum",
    "build_form",
    "cells_of",
    "describe",
    "flatten",
    "lay_out",
    "load_circuit",
    "marginal",
    "over_cells",
    "over_parts",
    "same_shape",
    "save_circuit",
    "scopes",
    "single_column",
    "to_dot",
    "to_networkx",
    "validate",
    "violations",
    "with_parameters",
]
