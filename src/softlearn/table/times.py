"""Points in time as float seconds since 1970-01-01 UTC, and back.

Float64 seconds resolve about a quarter of a microsecond today, so times are read and written in
whole microseconds. A time without zone is read as if it were UTC.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

from softlearn.arrays import AnyArray, Floats

Counts = npt.NDArray[np.int64]

MICROSECONDS = 1_000_000  # in a second
SECONDS_PER_DAY = 86_400
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_STAMP = re.compile(r"\[(?P<unit>s|ms|us|ns)(?:, (?:tz=)?(?P<zone>[^\]]+))?\]")
_WRITTEN = re.compile(r" as YYYY-MM-DD[T ]HH:MM[:S.f]*(?P<zone>Z|[+-][0-9]{2}:?[0-9]{2})?")
# The range of Python's calendar: 0001-01-01 to 9999-12-31T23:59:59.
FIRST_SECOND, LAST_SECOND = -62_135_596_800, 253_402_300_799


def unit_of(dtype: str) -> str:
    """Return the unit that a dtype text carries; a text without one means whole days."""
    if _WRITTEN.search(dtype):
        return "us"
    found = _STAMP.search(dtype)
    return found["unit"] if found else "day"


def zone_of(dtype: str) -> str | None:
    """Return the time zone that a dtype text carries, if any."""
    found = _WRITTEN.search(dtype)
    if found:
        zone = found["zone"]
        return "UTC" if zone == "Z" else zone and f"{zone[:3]}:{zone[-2:]}"
    found = _STAMP.search(dtype)
    return found["zone"] if found else None


def moments(seconds: Floats, dtype: str) -> list[date]:
    """Return times, none of them missing, as ``moment`` does, clipped to the calendar.

    A zone needs a margin of a day on both sides, and rounding to days half a day at the end.
    """
    before = SECONDS_PER_DAY if zone_of(dtype) else 0
    after = SECONDS_PER_DAY // 2 if unit_of(dtype) == "day" else before
    held = np.clip(seconds, FIRST_SECOND + before, LAST_SECOND - after)
    return [moment(second, dtype) for second in held.tolist()]


def zone_name(zone: tzinfo | None) -> str:
    """Return a name from which the zone can be restored; UTC for a zone without a name."""
    own = getattr(zone, "key", None) or getattr(zone, "zone", None)
    if own is None and isinstance(zone, timezone):
        own = zone.tzname(None)
    return own or "UTC"


def seconds_from_datetime64(times: AnyArray) -> Floats:
    """Return NumPy datetimes as seconds; NaT becomes NaN."""
    seconds = times.astype("M8[us]").astype(np.int64) / MICROSECONDS
    seconds[np.isnat(times)] = np.nan
    return seconds


def counts_from_seconds(seconds: Floats, unit: str) -> Counts:
    """Return seconds as whole numbers of a unit; a missing one becomes 0.

    Times outside the unit's range become the nearest time within it.
    """
    if unit == "day":
        return np.rint(np.nan_to_num(seconds) / SECONDS_PER_DAY).astype(np.int64)
    per_second = _PER_SECOND[unit]
    resolved = min(per_second, MICROSECONDS)
    furthest = float((2**63 - 1) // max(per_second, MICROSECONDS) - 1)
    known = np.clip(np.nan_to_num(seconds), -furthest, furthest)
    whole = np.floor(known)
    # Only the fraction is scaled: seconds × 10⁶ in one product is often off by one after 2072,
    # the split is exact until float64 seconds themselves stop resolving microseconds in 2242.
    fraction = np.rint((known - whole) * resolved).astype(np.int64)
    return (whole.astype(np.int64) * resolved + fraction) * (per_second // resolved)


def seconds_of(value: date | np.datetime64) -> float:
    """Return one date or datetime as seconds."""
    if isinstance(value, np.datetime64):
        return float(seconds_from_datetime64(np.array([value]))[0])
    if not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    aware = value if value.tzinfo else value.replace(tzinfo=UTC)
    return (aware - _EPOCH) / timedelta(seconds=1)


def moment(seconds: float, dtype: str) -> date:
    """Return the datetime, or the date for a dtype of days, at these seconds."""
    instant = _EPOCH + timedelta(seconds=seconds)
    zone = zone_of(dtype)
    if zone:
        return instant.astimezone(_zone(zone))
    is_day = bool(dtype) and unit_of(dtype) == "day"
    return (instant + timedelta(hours=12)).date() if is_day else instant.replace(tzinfo=None)


def _zone(name: str) -> tzinfo:
    """Return the zone by its name, or the fixed offset that is spelt like UTC+02:00."""
    offset = name.removeprefix("UTC")
    if offset.startswith(("+", "-")):
        parsed = datetime.fromisoformat(f"1970-01-01T00:00:00{offset}").tzinfo
        return parsed or UTC
    return ZoneInfo(name) if offset else UTC
