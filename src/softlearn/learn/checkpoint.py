"""Store finished parts of a growing tree in a folder, so that an interrupted fit can be resumed.

A slice is identified by its seed, which follows from the seed of the fit and the path to the slice.
Its piece is stored as soon as it is grown; once everything below it is stored too, the whole
sub-tree is finished and will not be grown again. For large slices the decisions are stored as well,
because they take most of the passes over the rows.
"""

from __future__ import annotations

import errno
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Final

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from softlearn.arrays import AnyArray, States
from softlearn.errors import SoftlearnError
from softlearn.kernels.cluster.rows import Planes
from softlearn.learn.config import GrowConfig
from softlearn.learn.memory import Decision, Memory
from softlearn.learn.pieces import OPEN, Piece, joined
from softlearn.learn.slices import OpenPlace
from softlearn.stats.clusters import Clusters
from softlearn.table.schema import Schema
from softlearn.whole_files import write_whole

# The most work that a kill may lose, in seconds and bytes; a file per sub-tree would be too slow.
_SECONDS_BETWEEN_FILES: Final = 5.0
_BYTES_OF_A_FILE: Final = 32_000_000
_ABOUT: Final = "fit.json"
_FILES: Final = "grown-*.safetensors"
_PIECE: Final = ("kind", "parent", "weight", "column", "place", "statistics")
Arrays = dict[str, AnyArray]


@contextmanager
def open_checkpoint(
    folder: Path | None, about: Callable[[], Mapping[str, str]]
) -> Iterator[Memory]:
    """Yield the checkpoint of a fit; without a folder, a memory that stores nothing.

    It is removed when the fit is complete. After an error, a kill or an interrupt it stays.

    Parameters
    ----------
    folder
        Where it is, or will be.
    about
        Returns a description of the data and the settings, by name: a folder belongs to one fit.
    """
    if folder is None:
        yield Memory()
        return
    memory = Checkpoint(folder, about())
    try:
        yield memory
    except BaseException:
        with suppress(SoftlearnError):  # the user needs to see the first error
            memory.write()
        raise
    if memory.cut_short:
        memory.write()
    else:
        memory.remove()


def checkpoint_of(
    config: GrowConfig,
    schema: Schema,
    seed: np.random.SeedSequence,
    digest: Callable[[], States],
) -> AbstractContextManager[Memory]:
    """Yield the checkpoint of growing a circuit; `digest` identifies its rows."""
    if config.checkpoint is not None and config.time_budget is not None:
        raise SoftlearnError(
            "checkpoint and time_budget cannot be combined: what fits into the time depends on the "
            "machine, so that a fit could not be resumed to the same circuit; leave one out"
        )

    def about() -> dict[str, str]:
        from softlearn import __version__  # noqa: PLC0415 - known once the package is loaded

        columns = json.dumps([column.to_dict() for column in schema], sort_keys=True)
        choices = asdict(config)
        del choices["checkpoint"]
        return {
            "softlearn": __version__,
            "cells": "-".join(f"{part:016x}" for part in digest().tolist()),
            "schema": _digest(columns.encode()),
            "random_state": f"{seed.entropy}{list(seed.spawn_key) or ''}",
            **{name: str(value) for name, value in choices.items()},
        }

    return open_checkpoint(config.checkpoint, about)


class Checkpoint(Memory):
    """A checkpoint: the finished parts of one fit, stored in a folder.

    Attributes
    ----------
    cut_short
        Whether a part of the tree was cut short, so that the fit is not complete.
    """

    def __init__(self, folder: Path, about: Mapping[str, str]) -> None:
        self.folder = folder
        self.cut_short = False
        self._new: Arrays = {}
        self._written = time.monotonic()
        _open_folder(folder, about)
        records = _read_all(folder)
        self._decisions = {seed: _decision(own) for seed, own in records.items() if "label" in own}
        self._finished = _finished(records)

    def subtree(self, place: OpenPlace) -> Piece | None:
        """Return all that has grown at a place, if it is finished."""
        found = self._finished.get(place.seed)
        return None if found is None else joined(found)

    def decision(self, place: OpenPlace) -> Decision | None:
        """Return what was decided about the rows at a place."""
        return self._decisions.get(place.seed)

    def keep_decision(self, place: OpenPlace, decision: Decision) -> None:
        """Remember what was decided about the rows at a place."""
        arrays: Arrays = {"label": decision.label}
        if decision.clusters is not None:
            planes, n_clusters, phase = decision.clusters
            arrays |= planes._asdict() | {"pass": np.array([n_clusters, phase])}
        self._keep(place.seed, arrays)

    def keep_piece(
        self, place: OpenPlace, piece: Piece, opened: Sequence[OpenPlace], *, cut_short: bool
    ) -> None:
        """Remember what has grown at a place, and which places it has opened in turn."""
        if cut_short:
            self.cut_short = True
            return
        arrays = {f"piece-{name}": getattr(piece, name) for name in _PIECE}
        arrays["depth"] = np.array([place.depth])
        arrays["opened"] = np.array([child.seed for child in opened], np.uint64)
        arrays["opened-at"] = np.array([child.place for child in opened], np.int64)
        self._keep(place.seed, arrays)

    def _keep(self, seed: int, arrays: Arrays) -> None:
        self._new |= {f"{seed:016x} {name}": array for name, array in arrays.items()}
        size = sum(array.nbytes for array in self._new.values())
        is_due = time.monotonic() - self._written > _SECONDS_BETWEEN_FILES
        if is_due or size > _BYTES_OF_A_FILE:
            self.write()

    def write(self) -> None:
        """Write new parts to a file, whose name contains a checksum of its content."""
        if not self._new:
            return
        arrays = {name: np.ascontiguousarray(array) for name, array in self._new.items()}
        content = save(arrays)
        _write(self.folder / f"grown-{_digest(content)}.safetensors", content)
        self._new = {}
        self._written = time.monotonic()

    def remove(self) -> None:
        """Remove the files, and the folder unless something else is in it."""
        with suppress(OSError):  # nothing is lost if they stay
            for file in (*self.folder.glob(_FILES), self.folder / _ABOUT):
                file.unlink(missing_ok=True)
            self.folder.rmdir()


def _open_folder(folder: Path, about: Mapping[str, str]) -> None:
    """Begin a checkpoint, or refuse a folder that belongs to another fit."""
    if folder.exists() and not folder.is_dir():
        raise SoftlearnError(f"checkpoint: {folder} is a file; name a folder, or a new one")
    if (folder / _ABOUT).exists():
        _must_be(about, _read_about(folder / _ABOUT), folder)
        return
    others = sorted(folder.iterdir()) if folder.exists() else []
    if others:
        raise SoftlearnError(
            f"checkpoint: {folder} holds other files, such as {others[0].name}; name a folder that "
            "is empty or new"
        )
    _write(folder / _ABOUT, json.dumps(dict(about), indent=2))


def _read_about(file: Path) -> dict[str, str]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _damaged(file, error) from None
    if not isinstance(found, dict):
        raise _damaged(file, "no list of names")
    return found


def _must_be(about: Mapping[str, str], found: Mapping[str, str], folder: Path) -> None:
    names = [name for name in {**found, **about} if found.get(name) != about.get(name)]
    if not names:
        return
    differ = "; ".join(
        f"{name} was {found.get(name, 'not there')} and is {about.get(name, 'not there')} now"
        for name in names
    )
    raise SoftlearnError(
        f"checkpoint: {folder} belongs to another fit: {differ}. Repeat the call that it was begun "
        "with, name another folder, or delete this one to begin anew"
    )


def _read_all(folder: Path) -> dict[int, Arrays]:
    """Return the content of all files, by seed."""
    records: dict[int, Arrays] = {}
    for file in sorted(folder.glob(_FILES)):
        try:
            content = file.read_bytes()
            if file.stem != f"grown-{_digest(content)}":
                raise _damaged(file, "its content is not what was written")
            arrays = load(content)
        except (OSError, SafetensorError) as error:
            raise _damaged(file, error) from None
        for seed, names in groupby(sorted(arrays), lambda name: name.split()[0]):
            own = {name.split()[1]: arrays[name] for name in names}
            records.setdefault(int(seed, 16), {}).update(own)
    return records


def _finished(records: Mapping[int, Arrays]) -> dict[int, Piece]:
    """Return the sub-trees without open nodes, the deepest first."""
    finished: dict[int, Piece] = {}
    pieces = {seed: own for seed, own in records.items() if "depth" in own}
    for seed in sorted(pieces, key=lambda seed: -int(pieces[seed]["depth"][0])):
        own = pieces[seed]
        children = zip(own["opened-at"].tolist(), own["opened"].tolist(), strict=True)
        grown = {place: finished[child] for place, child in children if child in finished}
        if len(grown) == np.count_nonzero(own["piece-kind"] == OPEN):
            arrays = {name: own[f"piece-{name}"] for name in _PIECE}
            finished[seed] = Piece(**arrays, grown=grown)
    return finished


def _decision(arrays: Arrays) -> Decision:
    if "pass" not in arrays:
        return Decision(arrays["label"], None)
    n_clusters, phase = arrays["pass"].tolist()
    planes = Planes(*(arrays[name] for name in Planes._fields))
    return Decision(arrays["label"], Clusters(planes, n_clusters, phase))


def _write(path: Path, content: bytes | str) -> None:
    try:
        write_whole(path, content)
    except OSError as error:
        remedy = "make room" if error.errno == errno.ENOSPC else "see to it"
        raise SoftlearnError(
            f"checkpoint: cannot write to {path.parent}: {error.strerror or error}; {remedy} and "
            "repeat the call, which goes on with what was written before"
        ) from None


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()[:32]


def _damaged(file: Path, error: object) -> SoftlearnError:
    return SoftlearnError(
        f"checkpoint: {file} is damaged ({error}); delete it, and what it held is learnt again"
    )
