"""Add finished pieces to a growing tree, report progress, and store them."""

from __future__ import annotations

from collections.abc import Sequence

from softlearn.learn.pieces import Piece
from softlearn.learn.slices import LargeSlice, Slice
from softlearn.learn.watch import Engine, Progress


def receive(
    task: Slice | LargeSlice,
    piece: Piece,
    opened: Sequence[Slice | LargeSlice],
    progress: Progress,
    engine: Engine,
    *,
    cut_short: bool,
) -> None:
    """Add the piece of a slice to the tree.

    `opened` are the slices that remain open; a piece is cut short by an interrupt.
    """
    task.piece.grown[task.place] = piece
    engine.memory.keep_piece(task, piece, opened, cut_short=cut_short)
    done = task.mass - sum(child.mass for child in opened)
    progress.note(piece.n_nodes, max(0.0, done))


def recalled(task: Slice | LargeSlice, progress: Progress, engine: Engine) -> bool:
    """Restore the sub-tree of a slice from memory; return whether it was stored."""
    piece = engine.memory.subtree(task)
    if piece is None:
        return False
    task.piece.grown[task.place] = piece
    progress.note(piece.n_nodes, task.mass)
    return True
