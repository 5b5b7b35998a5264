"""One classifier for rows with different missing features, without imputation."""

import matplotlib as mpl
import numpy as np

from softlearn import CircuitClassifier
from softlearn.datasets import worlds
from softlearn.show import plots

mpl.use("agg")  # draw to files, open no windows

truth = worlds.households()
train, test = truth.sample(300, random_state=0), truth.sample(500, random_state=1)
classifier = CircuitClassifier(random_state=0).fit(train.drop(columns="car"), train["car"])
features, cars = test.drop(columns="car"), test["car"]

print("share of the features lost, and of the cars that are still right")
for share in (0.0, 0.3, 0.6, 1.0):
    lost = np.random.default_rng(2).random(features.shape) < share
    right = classifier.score(features.mask(lost), cars)
    print(f"  {share:4.0%}  {right:4.0%}  {'█' * round(40 * right)}")

# Without any feature the classes' shares remain.
nothing = features.head(1).mask(np.ones((1, features.shape[1]), dtype=bool))
print(
    f"\n{classifier.classes_}\nP(car)            = {classifier.predict_proba(nothing)[0].round(3)}"
)

# The model is joint, so it is asked in any direction: of cars, and by cars.
model = classifier.model_
print(f"P(car | age <= 30):\n{model.distribution('car', given={'age': (None, 30)})}")
for car in classifier.classes_:
    print(f"E[age | car = {car}] = {model.expectation('age', given={'car': car}):.0f}")
plots.calibration(model, test, {"car": "none"}).figure.savefig("calibration.png")
