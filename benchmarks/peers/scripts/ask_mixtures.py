"""Ask pomegranate and scikit-learn about the very same mixtures.

Neither sums out missing cells of single rows, nor has posteriors of columns.
"""

import numpy as np
import torch
from pomegranate.distributions import Bernoulli
from pomegranate.gmm import GeneralMixtureModel
from sklearn.mixture import GaussianMixture
from timing import given, tell

torch.set_num_threads(1)
torch.set_grad_enabled(False)

data = given("mixture, two levels")
rows = torch.tensor(data["rows"], dtype=torch.float32)
n, n_columns = rows.shape
chance = torch.tensor(data["params"][:, 1].reshape(-1, n_columns), dtype=torch.float32)
weights = data["weight"][data["params"].shape[0] :]
parts = [Bernoulli(probs=one) for one in chance]
model = GeneralMixtureModel(parts, priors=torch.tensor(weights, dtype=torch.float32))
size = len(data["child"])
name = "mixture, two levels"
tell("pomegranate", name, "likelihood", n, lambda: model.log_probability(rows).numpy(), size=size)
tell("pomegranate", name, "sample", n, lambda: model.sample(n), size=size)

name = "mixture, Gaussian"
data = given(name)
n, n_columns = data["rows"].shape
weights = data["weight"][data["params"].shape[0] :]
mixture = GaussianMixture(len(weights), covariance_type="diag")
mixture.weights_ = weights / weights.sum()
mixture.means_ = data["params"][:, 0].reshape(-1, n_columns)
mixture.covariances_ = data["params"][:, 1].reshape(-1, n_columns) ** 2
mixture.precisions_cholesky_ = 1.0 / np.sqrt(mixture.covariances_)
size = len(data["child"])
tell("scikit-learn", name, "likelihood", n, lambda: mixture.score_samples(data["rows"]), size=size)
tell("scikit-learn", name, "sample", n, lambda: mixture.sample(n), size=size)
