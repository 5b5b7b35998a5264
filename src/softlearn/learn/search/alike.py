"""Members with the same settings and equal weights, for models that rows are drawn from.

A mixture that is weighted by held-out likelihood prefers simple members, whose drawn rows are
easier to tell from real ones. Many clusters per split make rows more realistic, and an average of
many such circuits hardly scores less than the weighted mixture.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from softlearn.learn.search.ahead import jobs_of
from softlearn.learn.search.ensemble import Ensemble
from softlearn.learn.search.trial import Candidate

# Of 3, 4, 6, 8 and 12 clusters, averages of 8 and 24 circuits: most realistic on shoppers, close to
# it on adult and magic, at 0.01 nats less per unseen row than with 6.
MOST_REALISTIC: Final = Candidate("softlearn", {"n_clusters": 8}, "softlearn")


def add_alike(
    ensemble: Ensemble, candidate: Candidate, seed: np.random.SeedSequence, share: float
) -> None:
    """Learn members until they no longer improve the score, or a limit is reached."""
    bench, clock = ensemble.bench, ensemble.bench.clock
    n_ahead = 0 if bench.ahead is None else bench.ahead.workers.n_workers
    while clock.has_fits and ensemble.pays:
        left = clock.bounds.max_members - len(ensemble.members)
        if clock.bounds.max_fits is not None:
            left = min(left, clock.bounds.max_fits - clock.n_fits)
        if left <= 0:
            return
        ends = clock.seconds + clock.left(share)
        bench.expect(jobs_of([candidate] * n_ahead, bench.train, seed, left), ends)
        clock.n_fits += 1
        fit = bench.fit("member", candidate, bench.train, seed.spawn(1)[0], ends)
        if fit is None:
            return
        ensemble.add(fit)
        bench.note(fit.trial, bench.reached)
