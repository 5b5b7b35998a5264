"""Encoded values back as a frame of the library and dtypes they came from."""

from __future__ import annotations

from typing import Any

import numpy as np

from softlearn.arrays import Floats
from softlearn.errors import SchemaError, SoftlearnError, TableError
from softlearn.table.cells import Cells
from softlearn.table.column import Column
from softlearn.table.encode import require_columns
from softlearn.table.frames import WINGS, Frame, open_frame
from softlearn.table.schema import Schema
from softlearn.table.wing import Gap
