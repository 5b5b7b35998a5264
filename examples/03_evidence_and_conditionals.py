"""All forms of evidence: values, sets of levels, intervals, missing cells and frames."""

import matplotlib as mpl
import pandas as pd

from softlearn import Categorical, Gaussian, Model, SoftlearnError
from softlearn.show import plots

mpl.use("agg")  # draw to files, open no windows

summer = (
    Categorical("season", {"summer": 1.0})
    * Categorical("sky", {"clear": 0.6, "cloudy": 0.3, "rain": 0.1})
    * Gaussian("degrees", 24, 4)
    * Gaussian("visitors", 320, 90)
)
winter = (
    Categorical("season", {"winter": 1.0})
    * Categorical("sky", {"clear": 0.2, "cloudy": 0.4, "rain": 0.25, "snow": 0.15})
    * Gaussian("degrees", 2, 5)
    * Gaussian("visitors", 110, 40)
)
model = Model(0.5 * summer + 0.5 * winter, {"visitors": "integer"})

questions = [
    ({"season": "summer"}, None),  # a value
    ({"season": "summer"}, {"sky": {"clear", "cloudy"}}),  # a set of levels
    ({"season": "summer"}, {"degrees": (15, None)}),  # an interval with an open end
    ({"season": "summer"}, {"degrees": 12.5}),  # a number is a fine condition
    ({"visitors": (200, 300)}, {"sky": "rain"}),  # whole numbers, both ends included
    ({"visitors": 110}, {"season": "winter"}),  # one whole number has a probability
    ({"sky": "snow", "degrees": (None, 0)}, {"season": "winter"}),  # several things at once
    ({"sky": "snow"}, {"degrees": 30, "season": None}),  # None: nothing is known
]
for event, given in questions:
    print(f"{model.probability(event, given=given):8.5f} = P({event} | {given})")

# A frame asks once per row.
days = pd.DataFrame({"season": None, "sky": ["snow", "clear"], "degrees": 20.0, "visitors": None})
days["season"] = ["winter", None]
many = model.probability({"visitors": (150, None)}, days)
print(f"\nP(150 visitors or more) on each day: {many}")

# Whole distributions: of one column, or of all that are not given.
print(f"\nthe sky below zero degrees:\n{model.distribution('sky', given={'degrees': (None, 0)})}")
visitors = model.distribution("visitors", given={"sky": "clear"})
print(f"\nvisitors under a clear sky:\n{visitors}")

# Questions that make no sense say so.
for event, given in (
    ({"degrees": 20}, None),
    ({"sky": "hail"}, None),
    ({"sky": "clear"}, {"season": "summer", "sky": "snow"}),
):
    try:
        model.probability(event, given=given)
    except SoftlearnError as error:
        print(f"\n{type(error).__name__}: {error}")
plots.conditional(model, "sky", "degrees").figure.savefig("sky.png")
