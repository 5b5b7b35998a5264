"""Import pyarrow on first use, or explain how to install it."""

from __future__ import annotations

from typing import Any, TypeAlias

from softlearn.errors import MissingDependencyError

# pyarrow has no types of its own.
ArrowTable: TypeAlias = Any
ArrowColumn: TypeAlias = Any
ArrowType: TypeAlias = Any


def pyarrow() -> Any:  # noqa: ANN401
    """Return pyarrow with the parts that files need."""
    try:
        import pyarrow  # noqa: PLC0415
        import pyarrow.compute  # noqa: PLC0415
        import pyarrow.csv  # noqa: PLC0415
        import pyarrow.feather  # noqa: PLC0415
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError:
        raise MissingDependencyError(
            "tables in files are read and written by pyarrow: pip install pyarrow"
        ) from None
    return pyarrow
