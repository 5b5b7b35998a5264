"""Questions about columns: probabilities, distributions and means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softlearn.cli.answers import print_answer
from softlearn.cli.command import Command
from softlearn.cli.inputs import known, load_model
from softlearn.cli.options import Given, ModelPath
from softlearn.errors import EvidenceError
from softlearn.kernels.interpreted import question_is_small

if TYPE_CHECKING:
    from softlearn.model import DensityDistribution, LevelDistribution, Model

_SMALL = 20_000  # edges up to which a query is faster without loading the compiler
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True, kw_only=True)
class Query(Command):
    """Ask for probabilities, distributions or means, given what is known.

    Names of columns ask for the distribution of each; without a question, of every column.
    Conditions, such as `income=>50K, sex=F`, ask for the probability that all of them hold.
    """

    examples = (
        "softlearn query bank.safetensors housing",
        'softlearn query bank.safetensors "balance, y" --given "age=30..40, job=student"',
        'softlearn query bank.safetensors "y=yes" --given "duration>=600"',
        'softlearn query bank.safetensors balance --mean --given "marital!=single"',
    )

    model: ModelPath
    question: Annotated[
        str,
        typer.Argument(
            metavar="[QUESTION]", help="Column names or conditions, separated by commas."
        ),
    ] = ""
    given: Given = ""
    mean: Annotated[
        bool, typer.Option("--mean", help="Print expected values instead of distributions.")
    ] = False

    def run(self) -> None:
        """Answer."""
        from softlearn.conditions import parse_question  # noqa: PLC0415

        model = load_model(self.model)
        if model.circuit.n_edges <= _SMALL:
            question_is_small()
        question = parse_question(self.question, model.schema)
        given = known(self.given, model)
        if question.event and question.columns:
            raise EvidenceError(
                f"{question.columns[0]!r} asks for a distribution, {next(iter(question.event))!r} "
                "for a probability; ask for one or the other, and say what is known by --given"
            )
        if question.event and self.mean:
            raise EvidenceError("--mean takes names of columns, not conditions")
        if question.event:
            answer = model.probability(question.event, given=given)
            self._print({"probability": answer}, f"{answer:.6g}")
        elif self.mean:
            columns = list(question.columns) or None
            means = model.expectation(columns, given=given)
            width = max(map(len, means))
            lines = [f"{name:<{width}}  {value:.6g}" for name, value in means.items()]
            alone = f"{next(iter(means.values())):.6g}"
            self._print({"means": means}, alone if len(means) == 1 else "\n".join(lines))
        else:
            self._print_distributions(_distributions(model, question.columns, given))

    def _print_distributions(
        self, found: dict[str, LevelDistribution | DensityDistribution]
    ) -> None:
        texts = [
            _titled(name, repr(one)) if len(found) > 1 else repr(one) for name, one in found.items()
        ]
        self._print(
            {"distributions": {n: _as_dict(d) for n, d in found.items()}}, "\n\n".join(texts)
        )

    def _print(self, answer: dict[str, object], text: str) -> None:
        print_answer({"given": self.given, **answer}, text, as_json=self.as_json)


def _distributions(
    model: Model, columns: tuple[str, ...], given: dict[str, object]
) -> dict[str, LevelDistribution | DensityDistribution]:
    """Return the distribution of each column, by default of all without a condition."""
    if not columns:
        return model.distributions(given)
    return {name: model.distribution(name, given) for name in columns}


def _titled(name: str, text: str) -> str:
    return (
        typer.style(name, bold=True) + "\n" + "\n".join(f"  {line}" for line in text.splitlines())
    )


def _as_dict(distribution: Any) -> dict[str, object]:  # noqa: ANN401
    """Return the probabilities of levels, or the summary of a density."""
    if hasattr(distribution, "quantile"):
        points = distribution.quantile(list(_QUANTILES))
        quantiles = dict(zip(map(str, _QUANTILES), points, strict=True))
        return {"mean": distribution.mean, "std": distribution.std, "quantiles": quantiles}
    return {"probabilities": dict(distribution)}
