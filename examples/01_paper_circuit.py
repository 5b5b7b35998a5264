"""The circuit of the paper's example: write it, sample, query, save and draw it."""

from pathlib import Path

import matplotlib as mpl

from softlearn import Gaussian, Model, load
from softlearn.circuit import to_dot
from softlearn.show import plots

mpl.use("agg")  # draw to files, open no windows

# The paper's generating expression, as it stands there: + is a sum node, * a product node.
model = Model(
    0.5 * Gaussian("X", -0.5, 1) * Gaussian("Y", -2, 0.2)
    + 0.5 * Gaussian("X", 0.5, 1) * Gaussian("Y", 2, 0.2)
)
print(model)

# Two thousand rows, about half of them from each component, as in the paper's figure.
rows = model.sample(2000, random_state=0)
print(f"\n{rows.describe().loc[['mean', 'std']].round(2)}")

# Density: how likely is each row, and all of them on average?
print(f"\nlog-density of the first rows: {model.score_samples(rows.head(3)).round(3)}")
print(f"mean log-density: {model.score(rows):.3f}")

# X alone says little about Y; Y alone decides which component X comes from.
print(f"\nP(Y > 0)           = {model.probability({'Y': (0, None)}):.3f}")
print(f"P(Y > 0 | X = 1)   = {model.probability({'Y': (0, None)}, given={'X': 1}):.3f}")
print(f"P(X > 0 | Y > 0)   = {model.probability({'X': (0, None)}, given={'Y': (0, None)}):.3f}")
print(f"E[X | Y = 2]       = {model.expectation('X', given={'Y': 2}):.3f}")
print(f"covariance of X, Y = {model.covariance()['X', 'Y']:.3f}")
print(f"\nY given X = 1:\n{model.distribution('Y', given={'X': 1})}")

# One file, no pickle; the loaded model gives the same numbers to the last bit.
path = Path("paper.safetensors")
model.save(path)
assert (load(path).score_samples(rows) == model.score_samples(rows)).all()
print(f"\nsaved and loaded {path}, {path.stat().st_size} bytes")

drawing = Path("paper.dot")
drawing.write_text(to_dot(model.circuit), encoding="utf-8")
print(f"\n{drawing.read_text(encoding='utf-8')}")
print(f"draw it with Graphviz: dot -Tsvg {drawing} > paper.svg")
plots.pairs(model, rows)[0, 0].figure.savefig("paper.png")
