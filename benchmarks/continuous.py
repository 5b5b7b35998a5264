"""AutoCircuit and a Gaussian mixture on continuous columns: ``python -m benchmarks.continuous``.

The columns of the six mixed tables that have at least 30 different values, none of them in more
than a tenth of the rows, in standard deviations of each; values on a grid, such as whole numbers,
are spread evenly over its step, so that both count densities. The mixture has full covariances, and
as many components as BIC says. Both learn from 80 % of the rows; printed is the mean log-density of
the others, and the standard error of the difference. ``--time`` is how long a search may take,
``--seeds`` how many splits there are.
"""

from __future__ import annotations

import argparse
from time import process_time

import numpy as np
import pandas as pd
from sklearn.mixture import GaussianMixture

from benchmarks.tasks.split import Split, split_of
from softlearn import AutoCircuit, Column, infer_schema
from softlearn.datasets import MIXED_NAMES

_FEWEST_VALUES, _LARGEST_SHARE = 30, 0.1
_COMPONENTS = (1, 2, 3, 5, 8, 12, 20, 30)
_MAX_ROWS = 40_000


def main() -> None:
    """Print a line for each table and seed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=MIXED_NAMES, default=MIXED_NAMES)
    parser.add_argument("--time", type=float, default=60.0)
    parser.add_argument("--seeds", type=int, default=1)
    chosen = parser.parse_args()
    print("table        seed columns  AutoCircuit   mixture    better ±    error  CPU s")
    for dataset in chosen.only:
        for seed in range(chosen.seeds):
            _compare(dataset, seed, chosen.time)


def _compare(dataset: str, seed: int, seconds: float) -> None:
    train, test = _continuous(split_of(dataset, seed, _MAX_ROWS))
    began = process_time()
    search = AutoCircuit(seconds, random_state=seed, n_jobs=1).fit(train)
    took = process_time() - began
    tried = [GaussianMixture(k, random_state=seed).fit(train) for k in _COMPONENTS]
    mixture = min(tried, key=lambda one: one.bic(train))
    ours, theirs = search.score_samples(test), mixture.score_samples(test)
    better = ours - theirs
    error = better.std(ddof=1) / np.sqrt(better.size)
    print(
        f"{dataset:12} {seed:4} {train.shape[1]:7} {ours.mean():12.4f} {theirs.mean():9.4f} "
        f"{better.mean():9.4f} ± {error:8.4f} {took:8.0f}",
        flush=True,
    )


def _continuous(split: Split) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the continuous columns in standard deviations of the training rows."""
    schema, rng = infer_schema(split.train[split.numeric]), split.rng()
    train, test = {}, {}
    for name in split.numeric:
        counts = split.train[name].value_counts()
        if counts.size < _FEWEST_VALUES or counts.max() > _LARGEST_SHARE * len(split.train):
            continue
        own, other = (part[name].to_numpy(np.float64) for part in (split.train, split.test))
        scale = schema[name].scale
        step = 0.0 if scale is None else scale.step
        own, other = (part + step * rng.random(part.size) for part in (own, other))
        train[name] = (own - own.mean()) / own.std()
        test[name] = (other - own.mean()) / own.std()
    spread = infer_schema(pd.DataFrame(train))
    names = [column.name for column in spread if _has_density(column)]
    return pd.DataFrame(train)[names], pd.DataFrame(test)[names]


def _has_density(column: Column) -> bool:
    """Return whether no value of the column has a probability of its own."""
    scale = column.scale
    if scale is None or scale.step or scale.values:
        return False
    return all(left < right for left, right in zip(scale.left, scale.right, strict=True))


if __name__ == "__main__":
    main()
