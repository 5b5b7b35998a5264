"""Rows drawn by CTGAN with its own defaults; run in an environment that has `ctgan`."""

from __future__ import annotations

import warnings

import torch
from ctgan import CTGAN
from exchange import serve


def fit(table, categorical, seed):
    # Its batches are small: on a busy machine two threads took twenty times as long as one.
    torch.set_num_threads(1)
    generator = CTGAN()
    generator.set_random_state(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        generator.fit(table, categorical)
    return generator.sample


if __name__ == "__main__":
    serve(fit)
