"""The NumPy dtypes that the library uses, each named once with its reason."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

# float64 throughout: probabilities that a user sees are never rounded to single precision.
Floats: TypeAlias = npt.NDArray[np.float64]
# int64 offsets: a circuit's parameters may outgrow 2**31 long before its nodes do.
Offsets: TypeAlias = npt.NDArray[np.int64]
# int32 ids: two thousand million nodes are enough, and edges take half the memory traffic.
Ids: TypeAlias = npt.NDArray[np.int32]
# uint8 kinds: node kinds and family ids are a handful.
Kinds: TypeAlias = npt.NDArray[np.uint8]
# uint64 states: one stream of random numbers a row.
States: TypeAlias = npt.NDArray[np.uint64]
Bools: TypeAlias = npt.NDArray[np.bool_]
AnyArray: TypeAlias = npt.NDArray[Any]
