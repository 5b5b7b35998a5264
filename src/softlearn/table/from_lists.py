"""Build frames from plain lists, for answers that are tables."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any


def frame_from_lists(columns: Mapping[str, list[Any]], library: str) -> Any:  # noqa: ANN401
    """Return named lists as a frame of a library; for NumPy as pandas, or the dict without it."""
    if library == "polars":
        import polars as pl  # noqa: PLC0415

        return pl.DataFrame(dict(columns), strict=False)
    if library == "pyarrow":
        import pyarrow as pa  # noqa: PLC0415

        return pa.table(dict(columns))
    if find_spec("pandas") is None:
        return dict(columns)
    import pandas as pd  # noqa: PLC0415

    return pd.DataFrame(dict(columns))
