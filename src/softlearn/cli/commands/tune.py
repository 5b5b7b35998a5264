"""Grid search over a learner's parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softlearn.cli.answers import print_answer
from softlearn.cli.learning import LearningCommand
from softlearn.errors import SoftlearnError

if TYPE_CHECKING:
    from softlearn.estimators import Tuned


@dataclass(frozen=True, kw_only=True)
class Tune(LearningCommand):
    """Try a grid of the learner's parameters, and save the best model.

    Each learner has a grid of its own; that of softlearn and learnspn is the paper's, over
    significance, smoothing and, where it has an effect, beta. Parameters given as options are
    fixed. Combinations are scored on the rows of `--valid`, on held-out rows (a fifth by default),
    or by cross-validation. The best one is then fitted to all rows.
    """

    examples = (
        "softlearn tune bank.csv -o best.safetensors",
        "softlearn tune bank.csv -o best.safetensors --folds 5 --clustering kmeans",
    )

    folds: Annotated[
        int | None, typer.Option(min=2, help="Use cross-validation with this number of folds.")
    ] = None

    def run(self) -> None:
        """Search, save, and show all results."""
        from softlearn.estimators import tune  # noqa: PLC0415

        if self.folds is not None and (self.valid is not None or self.hold_out is not None):
            raise SoftlearnError("--folds cannot be combined with --valid or --hold-out")
        if "checkpoint" in self.settings:
            raise SoftlearnError("--checkpoint is for a single fit, and tune makes many")
        training = self.prepare()
        learner = self.estimator(training.schema)
        found = tune(
            training.rows,
            learner,
            self._grid(learner),
            valid=self.folds or training.held_out,
            sample_weight=training.weights,
            random_state=self.seed,
            n_jobs=self.jobs,
            verbose=1,
        )
        found.model.save(self.output)
        self._print(found)

    def _grid(self, learner: Any) -> dict[str, tuple[object, ...]]:  # noqa: ANN401 - an estimator
        """Return the learner's grid without parameters that are fixed by options."""
        from softlearn.learn import LEARNERS  # noqa: PLC0415

        usual = LEARNERS[self.learner].grid(learner.get_params(deep=False))
        return {name: values for name, values in usual.items() if name not in self.settings}

    def _print(self, found: Tuned) -> None:
        answer = {
            "best": found.best_params,
            "log_density": found.best_score,
            "results": found.table,
            "output": str(self.output),
        }
        best = ", ".join(f"{name} {_shown(value)}" for name, value in found.best_params.items())
        text = f"{found!r}\n\nbest: {best or 'the only one'} (log-density {found.best_score:.4f})"
        print_answer(answer, f"{text}\nsaved to {self.output}", as_json=self.as_json)


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
