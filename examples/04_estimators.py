"""Estimators for scikit-learn: impute in a pipeline, average circuits, tune parameters."""

import matplotlib as mpl
import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from softlearn import CircuitImputer, CircuitMixture, SoftLearn, infer_schema, tune
from softlearn.datasets import worlds
from softlearn.show import plots

mpl.use("agg")  # draw to files, open no windows

truth = worlds.households()
full = truth.sample(300, random_state=0)
fresh = truth.sample(300, random_state=1)
gaps = full.mask(np.random.default_rng(2).random(full.shape) < 0.15)
print(f"{int(gaps.isna().to_numpy().sum())} of {gaps.size} cells are missing")

# A transformer: what was there stays, and the frame keeps its dtypes.
filled = CircuitImputer(method="mean", random_state=0).fit_transform(gaps)
assert not filled.isna().to_numpy().any()
assert (filled.dtypes == gaps.dtypes).all()

# Numbers alone, filled and scaled in a pipeline.
numbers = gaps[["age", "income", "km"]].to_numpy()
scaled = make_pipeline(CircuitImputer(random_state=0), StandardScaler()).fit_transform(numbers)
print(
    f"in a pipeline: means {np.abs(scaled.mean(axis=0)).round(3)}, deviations {scaled.std(axis=0)}"
)

# Higher is better, and no model can be expected to pass the truth. Five circuits, each learnt from
# a resample, are together better than on average; one that saw all rows may be better still.
mixture = CircuitMixture(n_estimators=5, bootstrap=True, random_state=0).fit(gaps)
scores = {
    "the truth": truth.score(fresh),
    "one circuit": SoftLearn(random_state=0).fit(gaps).score(fresh),
    "five, on average": np.mean([one.score(fresh) for one in mixture.estimators_]),
    "five, mixed": mixture.score(fresh),
}
for name, score in scores.items():
    print(f"{name:18}{score:8.3f}")
assert scores["five, mixed"] > scores["five, on average"]
bars = [{"dataset": "households", "system": name, "value": one} for name, one in scores.items()]
plots.comparison(bars, "the truth").figure.savefig("scores.png")

# scikit-learn's own tools take the learners as they are; every fold knows all levels. These
# rows have gaps, which cost nothing, so that the figure is not to be compared with those above.
schema = infer_schema(gaps)
folds = cross_val_score(SoftLearn(random_state=0, schema=schema), gaps, cv=3)
print(f"\ncross-validated: {folds.mean():.3f} ± {folds.std():.3f}")

# The best of a few choices, judged by rows that were held out.
grid = {"significance": [0.01, 0.0001], "smoothing": [0.1, 1.0]}
print(f"\n{tune(gaps, grid=grid, random_state=0)}")
