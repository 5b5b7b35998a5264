"""The tasks, what each measures, and the cells of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from benchmarks.tasks import classification, density, imputation, outliers, synthetic
from benchmarks.tasks.measured import Measured
from benchmarks.tasks.split import Split


class Figure(NamedTuple):
    """A measurement that gets a table."""

    name: str
    title: str
    digits: int
    better: Literal["higher", "lower", "nearer to a half"]

    def worse_by(self, value: float) -> float:
        """Return a number that is smaller the better the value is."""
        if self.better == "nearer to a half":
            return abs(value - 0.5)
        return value if self.better == "lower" else -value


class Task(NamedTuple):
    """A use of tables, with its systems in the order of the tables' rows."""

    name: str
    title: str
    about: str
    systems: tuple[str, ...]
    figures: tuple[Figure, ...]


@dataclass(frozen=True)
class Cell:
    """One system on one split in one task: a row of the results."""

    task: str
    dataset: str
    system: str
    seed: int
    max_rows: int


TASKS = {
    task.name: task
    for task in (
        Task(
            "imputation",
            "Missing cells",
            "A fifth of all cells is removed by chance, in the rows to learn from and in the test "
            "rows; the latter are filled. `SimpleImputer` takes means and most frequent levels; "
            "`KNNImputer` and `IterativeImputer` see levels one-hot and numbers in standard "
            "deviations, and the largest of a column's one-hot numbers is its level; the latter "
            "without the last level, which the others would predict perfectly.",
            tuple(imputation.SYSTEMS),
            (
                Figure("accuracy", "Accuracy of removed levels", 3, "higher"),
                Figure("rmse", "RMSE of removed numbers, in deviations of the column", 3, "lower"),
            ),
        ),
        Task(
            "classification",
            "Classes",
            "The target is learnt from complete rows, and predicted from test rows whose features "
            "are missing by chance. Circuits sum missing features out, gradient boosting has its "
            "own way with them; the forest and naive Bayes get the mean, or the most frequent "
            "level, for what is missing, and then levels one-hot. A predicted probability of 0 "
            "counts as the smallest that floats know.",
            tuple(classification.SYSTEMS),
            tuple(
                Figure(
                    f"{name} at {percent} %",
                    f"{name.capitalize()}, {percent} % of the features missing",
                    3,
                    "higher" if name == "accuracy" else "lower",
                )
                for percent in classification.MISSING
                for name in ("log-loss", "accuracy")
            ),
        ),
        Task(
            "outliers",
            "Odd rows",
            "2 % of the training rows are spoilt: half of a row's cells are replaced by the values "
            "of other rows, each of a row of its own, so that every column looks as before. "
            "Detectors learn from these rows and rank them; none is told which are spoilt. "
            "Circuits split less than elsewhere, as `CircuitOutlierDetector` has it by default.",
            tuple(outliers.SYSTEMS),
            (Figure("auc", "ROC-AUC of spoilt rows", 3, "higher"),),
        ),
        Task(
            "density",
            "Density of the numeric columns",
            "Columns are in standard deviations of the training rows; those with one value are "
            "left out, and whole numbers are spread evenly over their unit. The number of "
            f"Gaussians is chosen by BIC among {', '.join(map(str, density.COMPONENTS))}, the "
            f"bandwidth by 3-fold cross-validation on {density.BANDWIDTH_ROWS:,} training rows. "
            "−inf: a test row lies where the model says that nothing can be. Columns in which a "
            "number occurs again and again reward narrow bumps there.",
            tuple(density.SYSTEMS),
            (
                Figure("log-density", "Mean log-density of test rows, in nats", 2, "higher"),
                Figure("impossible rows", "Share of test rows held impossible", 4, "lower"),
            ),
        ),
        Task(
            "synthetic",
            "Synthetic rows",
            "As many rows are drawn as were learnt from. Gradient boosting, cross-validated, tries "
            "to tell test rows from as many drawn ones; and it learns the target from drawn rows "
            "and is asked about test rows. `(real rows)` has the training rows in place of drawn "
            "ones: nothing can be better but by luck. CTGAN is fitted by one thread.",
            synthetic.SYSTEMS,
            (
                Figure("detection AUC", "Detection AUC; 0.5 is perfect", 3, "nearer to a half"),
                Figure(
                    "accuracy on real rows",
                    "Train on drawn rows, test on real: accuracy",
                    3,
                    "higher",
                ),
            ),
        ),
    )
}
_MEASURES = {
    "imputation": imputation.measure,
    "classification": classification.measure,
    "outliers": outliers.measure,
    "density": density.measure,
}


def cells_of(
    tasks: Iterable[str], datasets: Iterable[str], n_seeds: int, max_rows: int
) -> Iterator[Cell]:
    """Yield what the tables are made of, the cells of one split after the other."""
    for dataset in datasets:
        for seed in range(n_seeds):
            for task in tasks:
                for system in TASKS[task].systems:
                    yield Cell(task, dataset, system, seed, max_rows)


def can_run(cell: Cell, pythons: Mapping[str, str]) -> bool:
    """Return whether a system is at hand: one of another environment needs its Python."""
    return cell.system in pythons or cell.system not in synthetic.FOREIGN


def measure(cell: Cell, split: Split, pythons: Mapping[str, str]) -> Measured:
    """Return what one cell is about."""
    if cell.task == "synthetic":
        return synthetic.measure(cell.system, split, pythons)
    return _MEASURES[cell.task](cell.system, split)
