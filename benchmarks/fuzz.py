"""Model files from unknown hands: `python -m benchmarks.fuzz`, from the root of the repository.

Each round changes a sound file somewhere (metadata, arrays or bytes), mostly with the checksum of
what it now says, and loads it. A file must be refused with a `ModelFileError`, or hold a sound
model that answers. Whatever else happens is printed with its round, and ends the program with 1.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path
from time import perf_counter

import numpy as np
import safetensors.numpy

from softlearn import Categorical, Gaussian, Histogram, Model, load
from softlearn.circuit import violations
from softlearn.circuit.file_format import checksum
from softlearn.circuit.flat import ARRAYS
from softlearn.errors import ModelFileError, SchemaError

ROUNDS = 10_000
STRANGE = (
    *(None, True, 0, -1, 2, 10**400, 0.5, 1e308, float("inf"), float("nan"), "", "x", "\ud800"),
    *("|S1000000000", "<U300000000", "datetime64[ns]", "numeric", "categorical", "numpy", "polars"),
    *([], {}, [[]], [0, 1], ["a", "b"], {"a": 1}),
)


def sound_model() -> Model:
    """Return a small model with every kind of node and three families."""
    parts = [
        Gaussian("x", shift, 1.5)
        * Histogram("y", [0.0, 1.0, 3.0], [0.25, 0.75])
        * Categorical("c", {"red": 0.5, "green": 0.25, "blue": 0.25})
        for shift in (0.0, 4.0)
    ]
    return Model(0.25 * parts[0] + 0.75 * parts[1])


def mutated(content: bytes, rng: random.Random) -> bytes:
    """Return the file with one to three changes; two in three have the right checksum."""
    if rng.random() < 1 / 3:
        return _changed_bytes(content, rng)
    length = int.from_bytes(content[:8], "little")
    about = json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["softlearn"])
    arrays = {name: array.copy() for name, array in safetensors.numpy.load(content).items()}
    about.pop("checksum")
    for _ in range(rng.randint(1, 3)):
        if rng.random() < 0.5:
            _change_metadata(about, rng)
        else:
            _change_array(arrays, rng)
    about["checksum"] = checksum(about, arrays)
    return safetensors.numpy.save(arrays, {"softlearn": json.dumps(about)})


def _changed_bytes(content: bytes, rng: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(rng.randint(1, 3)):
        start = rng.randrange(len(changed))
        piece = rng.randbytes(rng.randint(0, 8))
        changed[start : start + rng.randint(0, 8)] = piece
        changed = changed or bytearray(b"\0")
    return bytes(changed)


def _change_metadata(value: object, rng: random.Random) -> None:
    """Walk down to some entry, and make it something else, another one, or nothing."""
    while True:
        if isinstance(value, dict) and value:
            key: object = rng.choice(sorted(value))
        elif isinstance(value, list) and value:
            key = rng.randrange(len(value))
        else:
            return
        inner = value[key]  # type: ignore[index]
        if not inner or not isinstance(inner, dict | list) or rng.random() < 0.2:
            break
        value = inner
    if rng.random() < 0.1:
        del value[key]  # type: ignore[attr-defined]
    else:
        value[key] = copy.deepcopy(rng.choice(STRANGE))  # type: ignore[index]


def _change_array(arrays: dict[str, np.ndarray], rng: random.Random) -> None:
    name = rng.choice(sorted(ARRAYS))
    array = arrays[name]
    chance = rng.random()
    if chance < 0.1 or not array.size:
        arrays[name] = np.append(array, array[:1])
    elif chance < 0.2:
        arrays[name] = array[: rng.randrange(array.size)]
    elif chance < 0.3:
        arrays[name] = np.roll(array, 1)
    elif array.dtype == np.float64:
        array[rng.randrange(array.size)] = rng.choice((0, -1, 0.5, 1e308, np.nan, np.inf, 1e-300))
    else:
        top = np.iinfo(array.dtype).max
        array[rng.randrange(array.size)] = rng.choice((0, 1, 2, 3, top - 1, top))


def outcome(path: Path) -> str:
    """Load and ask one file; anything but a refusal or a right model is raised."""
    try:
        model = load(path)
    except ModelFileError:
        return "refused"
    assert violations(model.circuit) == []
    mass = model.probability({})
    assert abs(mass - 1.0) < 1e-9, mass
    try:
        drawn = model.sample(3, random_state=0)
    except SchemaError:  # a dtype that cannot hold the column, which is named
        return "loaded, cannot be drawn as its dtype says"
    assert len(drawn) == 3
    return "sound"


def run(rounds: int, seed: int) -> Counter[str]:
    """Return how many files had which outcome; the first that breaks something is raised."""
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.safetensors"
        sound_model().save(path)
        content = path.read_bytes()
        for number in range(rounds):
            path.write_bytes(mutated(content, random.Random(f"{seed} {number}")))
            try:
                counts[outcome(path)] += 1
            except Exception as error:
                raise AssertionError(f"round {number} of seed {seed}: {error!r}") from error
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    start = perf_counter()
    counts = run(asked.rounds, asked.seed)
    for what, number in counts.most_common():
        sys.stdout.write(f"{number:>8,}  {what}\n")
    sys.stdout.write(f"{asked.rounds:,} files in {perf_counter() - start:.0f} s\n")


if __name__ == "__main__":
    main()
