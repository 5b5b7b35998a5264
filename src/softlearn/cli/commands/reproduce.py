"""The experiments of the paper, one subcommand each."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeAlias

import typer

from softlearn.cli.answers import count, print_answer
from softlearn.cli.command import Command
from softlearn.errors import SoftlearnError

if TYPE_CHECKING:
    from softlearn.experiments import Choices, Produced

Out: TypeAlias = Annotated[
    Path,
    typer.Option("--out", metavar="DIR", help="The folder for results, tables and pictures."),
]
Betas: TypeAlias = Annotated[
    str,
    typer.Option(
        metavar="NUMBERS",
        help="Hardness of soft k-means, such as `20,40,80`: the best on the validation split is "
        "reported.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class Experimenting(Command):
    """The options of all experiments."""

    experiment: ClassVar[str]

    only: Annotated[
        str, typer.Option(metavar="NAMES", help="Some data sets only, such as `nltcs,plants`.")
    ] = ""
    seeds: Annotated[
        int | None,
        typer.Option(min=1, help="Number of seeds; by default that of the paper."),
    ] = None
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="One seed and at most 1,000 rows, as a check; results are kept apart."
        ),
    ] = False
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            min=1,
            help="Number of cells to run in parallel; by default one per core.",
        ),
    ] = None
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            metavar="ADDRESS",
            help="Run the cells on the workers of a Dask cluster, such as tcp://host:8786, which "
            "have the data sets.",
        ),
    ] = None
    out: Out = field(default=Path("results"))

    def run(self) -> None:
        """Run what is not finished, and show what was written."""
        from softlearn import experiments  # noqa: PLC0415 - loads all learners

        if self.jobs is not None and self.cluster is not None:
            raise SoftlearnError("--jobs and --cluster cannot be combined; choose one")
        produced = experiments.reproduce(
            experiments.EXPERIMENTS[self.experiment],
            self.choices(),
            self.out,
            n_jobs=self.jobs or os.cpu_count() or 1,
            cluster=self.cluster,
        )
        self._print(produced)

    def choices(self) -> Choices:
        """Return the part of the experiment that is asked for."""
        from softlearn.experiments import Choices  # noqa: PLC0415

        return Choices(only=_words(self.only), seeds=self.seeds, quick=self.quick, **self.crossed())

    def crossed(self) -> dict[str, Any]:
        """Return the choices that only some experiments have."""
        return {}

    def _print(self, produced: Produced) -> None:
        from softlearn.experiments.markdown import as_markdown  # noqa: PLC0415

        answer = {
            "experiment": self.experiment,
            "cells_run": produced.n_run,
            "rows": produced.n_rows,
            "files": [str(path) for path in produced.files],
        }
        done = f"{count(produced.n_run, 'cell')} run, {count(produced.n_rows, 'row')} in all"
        written = "\n".join(f"  {path}" for path in produced.files)
        text = f"{as_markdown(produced.document)}\n{done}; written:\n{written}"
        print_answer(answer, text, as_json=self.as_json)


@dataclass(frozen=True, kw_only=True)
class ReproduceBinary(Experimenting):
    """The twenty binary sets with the paper's settings, beside its tables."""

    experiment = "binary"
    examples: ClassVar[tuple[str, ...]] = (
        "softlearn reproduce binary --only nltcs --seeds 3",
        "softlearn reproduce binary --betas 20,40,80 --jobs 4",
    )

    betas: Betas = "40"

    def crossed(self) -> dict[str, Any]:
        """Return the betas."""
        return {"betas": _numbers(self.betas)}


@dataclass(frozen=True, kw_only=True)
class ReproduceGrid(ReproduceBinary):
    """The binary sets, with settings chosen on the validation split."""

    experiment = "grid"
    examples = ("softlearn reproduce grid --only nltcs,plants --clusterings em",)

    systems: Annotated[
        str, typer.Option(metavar="NAMES", help="`learnspn`, `softlearn` or both.")
    ] = "learnspn,softlearn"
    clusterings: Annotated[str, typer.Option(metavar="NAMES", help="`em`, `kmeans` or both.")] = (
        "em,kmeans"
    )

    def crossed(self) -> dict[str, Any]:
        """Return betas, systems and clusterings."""
        return {
            "betas": _numbers(self.betas),
            "systems": _words(self.systems),
            "clusterings": _words(self.clusterings),
        }


@dataclass(frozen=True, kw_only=True)
class ReproduceMixed(Experimenting):
    """The six mixed sets: LearnSPN, SoftLearn and Early SoftLearn, in two settings."""

    experiment = "mixed"
    examples = ("softlearn reproduce mixed --only cmc,vowel --seeds 3",)


@dataclass(frozen=True, kw_only=True)
class ReproduceSamples(Experimenting):
    """Measure drawn rows: learn, draw as many rows, learn from those, and score again."""

    experiment = "samples"
    examples = ("softlearn reproduce samples --only nltcs",)


@dataclass(frozen=True, kw_only=True)
class ReproduceMnist(Experimenting):
    """Handwritten nines and fives: draw, score, and fill in their lower halves."""

    experiment = "mnist"
    examples = ("softlearn reproduce mnist --quick",)


@dataclass(frozen=True, kw_only=True)
class ReproduceBadcluster(Experimenting):
    """The two-dimensional illustration of the effect of a bad split on both learners."""

    experiment = "badcluster"
    examples = ("softlearn reproduce badcluster",)


@dataclass(frozen=True, kw_only=True)
class ReproduceDepth(Experimenting):
    """The effect of iterations, beta, significance and number of clusters."""

    experiment = "depth"
    examples = ("softlearn reproduce depth --only nltcs",)


@dataclass(frozen=True, kw_only=True)
class ReproduceSystems(Experimenting):
    """Every system of the comparison table on the binary sets, beside published figures."""

    experiment = "systems"
    examples = (
        "softlearn reproduce systems --only nltcs --systems cnet,learnpsdd",
        "softlearn reproduce systems --jobs 2",
    )

    systems: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="Some of `cnet`, `tree`, `random`, `learnspn`, `softlearn`, `learnpsdd`, `gens`, "
            "`idspn`, `hclt`, `ratspn` and `einet`; by default all.",
        ),
    ] = ""

    def crossed(self) -> dict[str, Any]:
        """Return the systems."""
        return {"systems": _words(self.systems)}


@dataclass(frozen=True, kw_only=True)
class ReproduceRecords(Experimenting):
    """The best model found automatically for each binary set, beside the best published figures."""

    experiment = "records"
    examples = ("softlearn reproduce records --only nltcs --seeds 1 --time 20",)

    time: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Time limit of each search. Default: 300."),
    ] = None

    def crossed(self) -> dict[str, Any]:
        """Return the time of a search."""
        return {"time_budget": self.time}


@dataclass(frozen=True, kw_only=True)
class ReproduceReport(Command):
    """Write all results to one page, `report.html`, and to Markdown files."""

    examples = ("softlearn reproduce report",)

    out: Out = field(default=Path("results"))

    def run(self) -> None:
        """Write both, and show where."""
        from softlearn import experiments  # noqa: PLC0415 - loads all learners

        paths = [str(path) for path in experiments.write_report(self.out)]
        print_answer({"files": paths}, "\n".join(paths), as_json=self.as_json)


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _numbers(text: str) -> tuple[float, ...]:
    try:
        return tuple(map(float, _words(text)))
    except ValueError as error:
        raise SoftlearnError(
            f"--betas must be numbers joined by commas, such as 20,40,80, not {text!r}"
        ) from error
