"""Describe and plot what a model has learnt."""

from pathlib import Path

import matplotlib as mpl

from softlearn import SoftLearn
from softlearn.datasets import worlds
from softlearn.show import plots, tell

mpl.use("agg")  # draw to files, open no windows

truth = worlds.households()
rows = truth.sample(300, random_state=0)
model = SoftLearn(random_state=0).fit(rows).model_
print(tell(model, n_groups=3))

# The same facts as data.
found = tell(model)
strongest = found.dependencies[0]
print(f"\nstrongest: {strongest.first} and {strongest.second}, {strongest.share:.0%} in common")

# Each plot takes and returns matplotlib's axes; marginals and pairs an array of them.
fresh = truth.sample(300, random_state=1)
pictures = {
    "marginals": plots.marginals(model, rows)[0],
    "pairs": plots.pairs(model, rows, columns=["age", "income", "car"])[0, 0],
    "conditional": plots.conditional(model, "car", "km"),
    "calibration": plots.calibration(model, fresh, {"car": "none"}),
    "likelihoods": plots.likelihoods(model, fresh),
    "structure": plots.structure(model),
}
for name, axes in pictures.items():
    path = Path(f"{name}.png")
    axes.figure.savefig(path)
    print(f"{path}: {path.stat().st_size:,} bytes")
mpl.pyplot.close("all")
