"""The best of a grid of choices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from softlearn.cli.answers import print_answer
from softlearn.cli.learning import LearningCommand
from softlearn.errors import SoftlearnError

if TYPE_CHECKING:
    from softlearn.estimators import Tuned


@dataclass(frozen=True, kw_only=True)
class Tune(LearningCommand):
    """Try the paper's grid of significance, smoothing and beta, and save the best model.

    The choices are judged by the rows of `--valid`, by a share of the rows that is held out (a
    fifth by default), or by cross-validation. The best is then learnt from all rows.
    """

    examples = (
        "softlearn tune bank.csv -o best.safetensors",
        "softlearn tune bank.csv -o best.safetensors --folds 5 --clustering kmeans",
    )

    folds: Annotated[
        int | None, typer.Option(min=2, help="Judge by cross-validation with so many folds.")
    ] = None

    def run(self) -> None:
        """Search, save, and show all results."""
        from softlearn.estimators import LearnSPN, SoftLearn, tune  # noqa: PLC0415

        if self.folds is not None and (self.valid is not None or self.hold_out is not None):
            raise SoftlearnError("--folds goes without --valid and --hold-out")
        training = self.prepare()
        learner = (SoftLearn if self.learner == "softlearn" else LearnSPN)(
            clustering=self.clustering, random_state=self.seed, schema=training.schema
        )
        found = tune(
            training.rows,
            learner,
            valid=self.folds or training.held_out,
            sample_weight=training.weights,
            random_state=self.seed,
            n_jobs=self.jobs,
            verbose=1,
        )
        found.model.save(self.output)
        self._print(found)

    def _print(self, found: Tuned) -> None:
        answer = {
            "best": found.best_params,
            "log_density": found.best_score,
            "results": found.table,
            "output": str(self.output),
        }
        best = ", ".join(f"{name} {value:g}" for name, value in found.best_params.items())
        text = f"{found!r}\n\nbest: {best} (log-density {found.best_score:.4f})"
        print_answer(answer, f"{text}\nsaved to {self.output}", as_json=self.as_json)
