"""Dates and times as ISO text: parse them, and write them in the same format."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import reduce
from typing import Final, Self

import numpy as np

from softlearn.arrays import AnyArray, Floats
from softlearn.table.times import (
    FIRST_SECOND,
    LAST_SECOND,
    MICROSECONDS,
    SECONDS_PER_DAY,
    counts_from_seconds,
    seconds_from_datetime64,
)

# The text of files is matched by the same patterns, so they are plain enough for any library.
DAY: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
CLOCK: Final = r"[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?"
ZONE: Final = r"(Z|[+-][0-9]{2}:?[0-9]{2})"

_ISO = re.compile(rf"{DAY}(?:(?P<clock>{CLOCK})(?P<zone>{ZONE})?)?")
_FORM = re.compile(rf"YYYY-MM-DD(?:(?P<clock>[T ]HH:MM(?::SS(?:\.f{{1,6}})?)?)(?P<zone>{ZONE})?)?")
_LENGTHS = (len("YYYY-MM-DD"), len("YYYY-MM-DDTHH:MM"), len("YYYY-MM-DDTHH:MM:SS"))


@dataclass(frozen=True, slots=True)
class IsoForm:
    """A format of times, from ``YYYY-MM-DD`` to ``YYYY-MM-DDTHH:MM:SS.fff+02:00``.

    Attributes
    ----------
    mark
        The letter between the day and the clock; empty if there is no clock.
    seconds
        Whether the clock has them.
    digits
        How many digits their fraction has.
    zone
        ``Z``, an offset, or nothing.
    """

    mark: str
    seconds: bool
    digits: int
    zone: str

    @classmethod
    def matched(cls, found: re.Match[str]) -> Self:
        """Return the form of a text whose clock and zone were matched."""
        clock = found["clock"] or ""
        digits = len(clock.partition(".")[2])
        return cls(clock[:1], clock.count(":") == 2, digits, found["zone"] or "")

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Parse the text of a form, as ``str`` writes it; None if it is not one."""
        found = _FORM.fullmatch(text)
        return None if found is None else cls.matched(found)

    def joined(self, other: IsoForm) -> IsoForm:
        """Return the form that is precise enough for both; different offsets become UTC."""
        return IsoForm(
            self.mark or other.mark,
            self.seconds or other.seconds,
            max(self.digits, other.digits),
            self.zone if self.zone == other.zone else "Z",
        )

    def written(self, seconds: Floats) -> AnyArray:
        """Return times, none of them missing, as text, rounded to the precision of the form."""
        step = self._step()
        held = np.clip(seconds, FIRST_SECOND, LAST_SECOND)
        counts = counts_from_seconds(held, "us") + self.offset * MICROSECONDS
        last = ((LAST_SECOND + 1) * MICROSECONDS - 1) // step * step
        nearest = np.clip((counts + step // 2) // step * step, FIRST_SECOND * MICROSECONDS, last)
        whole = np.datetime_as_string(nearest.astype("M8[us]"))
        cut: AnyArray = whole.astype(f"<U{self._length()}")
        if self.mark == " ":
            cut = np.char.replace(cut, "T", " ")
        return np.char.add(cut, self.zone) if self.zone else cut

    def __str__(self) -> str:
        if not self.mark:
            return "YYYY-MM-DD"
        fraction = f".{'f' * self.digits}" if self.digits else ""
        return f"YYYY-MM-DD{self.mark}HH:MM{':SS' if self.seconds else ''}{fraction}{self.zone}"

    def _step(self) -> int:
        """Return the resolution of the form in microseconds."""
        if not self.mark:
            return SECONDS_PER_DAY * MICROSECONDS
        return MICROSECONDS // 10**self.digits if self.seconds else 60 * MICROSECONDS

    def _length(self) -> int:
        """Return how many letters come before the zone."""
        length = _LENGTHS[bool(self.mark) + self.seconds]
        return length + 1 + self.digits if self.digits else length

    @property
    def offset(self) -> int:
        """The seconds by which clocks of the zone are ahead of UTC."""
        if self.zone in ("", "Z"):
            return 0
        ahead = datetime.fromisoformat(f"1970-01-01T00:00{self.zone}").utcoffset()
        return 0 if ahead is None else ahead // timedelta(seconds=1)


def read_iso(texts: Sequence[str]) -> tuple[IsoForm, Floats] | None:
    """Return the form of times and their seconds, or None if a text is not a time.

    Either all of them have a zone or none has.
    """
    forms: dict[tuple[int, str, str], IsoForm] = {}  # by length, mark and zone: few for many texts
    keys = []
    for text in texts:
        found = _ISO.fullmatch(text)
        if found is None:
            return None
        key = (len(text), text[10:11], found["zone"] or "")
        if key not in forms:
            forms[key] = IsoForm.matched(found)
        keys.append(key)
    if not forms or len({bool(form.zone) for form in forms.values()}) > 1:
        return None
    try:
        times = [text.removesuffix(key[2]) for text, key in zip(texts, keys, strict=True)]
        local = seconds_from_datetime64(np.array(times, dtype="M8[us]"))
        ahead = {key: form.offset for key, form in forms.items()}
    except ValueError:  # such as February 30, or a zone of 99 hours
        return None
    if (local < FIRST_SECOND).any():
        return None
    return reduce(IsoForm.joined, forms.values()), local - [ahead[key] for key in keys]
