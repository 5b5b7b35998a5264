"""A table of text, booleans and numbers with missing cells, in pandas and in polars."""

import matplotlib as mpl
import pandas as pd
import polars as pl

from softlearn import Categorical, Gaussian, Model
from softlearn.show import plots

mpl.use("agg")  # draw to files, open no windows

cats = (
    Categorical("animal", {"cat": 1.0})
    * Categorical("indoors", {False: 0.3, True: 0.7})
    * Gaussian("age", 7, 4)
    * Gaussian("weight", 4.2, 0.8)
)
dogs = (
    Categorical("animal", {"dog": 1.0})
    * Categorical("indoors", {False: 0.8, True: 0.2})
    * Gaussian("age", 6, 3)
    * (0.4 * Gaussian("weight", 8, 2) + 0.6 * Gaussian("weight", 27, 6))
)
model = Model(0.45 * cats + 0.55 * dogs, {"age": "integer"})
print(model.schema)

pets = pd.DataFrame(
    {
        "animal": ["cat", None, None, "dog"],
        "indoors": pd.array([True, False, None, None], dtype="boolean"),
        "age": pd.array([3, None, 9, 4], dtype="Int64"),
        "weight": [None, 31.5, 4.0, None],
    }
)
print(f"\nfour pets with gaps\n{pets}")

# A missing cell is summed out, so every row has a score; the rest of the row speaks for itself.
print(f"\nlog-density: {model.score_samples(pets).round(2)}")
others = pets.drop(columns="animal")  # what is asked for is not given
print(f"P(dog):      {model.probability({'animal': 'dog'}, given=others).round(3)}")
others = pets.drop(columns="weight")
print(f"E[weight]:   {model.expectation('weight', given=others).round(1)}")

# Filled in three ways; cells that were there stay as they were, and so do dtypes.
for method in ("most_probable", "mean", "draw"):
    print(f"\n{method}\n{model.impute(pets, method=method, random_state=0)}")
assert (model.impute(pets).dtypes == pets.dtypes).all()

# The same in polars: columns are found by name, in any order, and polars comes back.
polars_pets = pl.from_pandas(pets).select("weight", "age", "indoors", "animal")
assert (model.score_samples(polars_pets) == model.score_samples(pets)).all()
print(f"\n{model.impute(polars_pets)}")
plots.structure(model).figure.savefig("pets.png")
