"""A world of households, and what can be asked of it: run ``python -m softlearn.demo``."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np

from softlearn import Categorical, Gaussian, Histogram, Model, __version__, load
from softlearn.arrays import Bools
from softlearn.circuit import Node, Product, to_dot
from softlearn.errors import MissingDependencyError
from softlearn.table.column import Level

Frame: TypeAlias = Any  # a pandas DataFrame

N_ROWS = 1000
BLANK_SHARE = 0.15
FOLDER = Path("demo")
_WIDTH = 78  # letters in a line
_PEOPLE = [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5]  # each bin is one whole number


def households() -> Model:
    """Return four kinds of households; drivers, and those who walk, are two kinds each."""
    petrol = Product((Categorical("car", {"petrol": 1}), Gaussian("km", 16, 4)))
    electric = Product((Categorical("car", {"electric": 1}), Gaussian("km", 11, 3)))
    drives = 0.75 * petrol + 0.25 * electric
    walks = Product((Categorical("car", {"none": 0.9, "petrol": 0.1}), Gaussian("km", 2, 0.6)))
    students = household(
        place={"city": 0.9, "town": 0.1},
        owns=0.02,
        people=[0.25, 0.25, 0.3, 0.15, 0.05, 0],
        numbers={"age": (23, 2.5), "income": (14, 4)},
        travel=walks,
    )
    families = household(
        place={"city": 0.3, "town": 0.5, "village": 0.2},
        owns=0.6,
        people=[0, 0.1, 0.35, 0.4, 0.1, 0.05],
        numbers={"age": (40, 6), "income": (62, 14)},
        travel=drives,
    )
    farmers = household(
        place={"village": 1},
        owns=0.95,
        people=[0.05, 0.3, 0.2, 0.25, 0.15, 0.05],
        numbers={"age": (54, 9), "income": (45, 10)},
        travel=drives,
    )
    retired = household(
        place={"city": 0.3, "town": 0.4, "village": 0.3},
        owns=0.65,
        people=[0.45, 0.55, 0, 0, 0, 0],
        numbers={"age": (74, 6), "income": (28, 7)},
        travel=walks,
    )
    world = 0.2 * students + 0.4 * families + 0.1 * farmers + 0.3 * retired
    return Model(world, {"people": "integer", "age": "integer"})


def household(
    *,
    place: dict[str, float],
    owns: float,
    people: list[float],
    numbers: dict[str, tuple[float, float]],
    travel: Node,
) -> Node:
    """Return one kind of household, within which all but car and km is independent."""
    truths: dict[Level, float] = {False: 1 - owns, True: owns}
    leaves = [
        Categorical("place", place),
        Categorical("owns", truths),
        Histogram("people", _PEOPLE, people),
        *(Gaussian(name, mean, deviation) for name, (mean, deviation) in numbers.items()),
    ]
    return Product((*leaves, travel))


def main() -> None:
    """Walk through the questions, one section each."""
    print(f"softlearn {__version__}: a circuit answers questions about a table of households")
    model = households()
    title("The circuit, written by hand: students, families, farmers and retired")
    print(model.describe())
    full, blanks, table = world(model)
    show_table(model, table, blanks)
    show_beliefs(model)
    show_samples(model)
    show_imputation(model, full, blanks, table)
    show_completion(model)
    show_files(model, table)


def world(model: Model) -> tuple[Frame, Bools, Frame]:
    """Return a sampled table, which cells are blanked, and the table with those cells missing."""
    print("\n… compiling: once on this machine, then never again …", end="", flush=True)
    start = perf_counter()
    full = model.sample(N_ROWS, random_state=7)
    if isinstance(full, np.ndarray):
        raise MissingDependencyError("the demo shows pandas frames: pip install pandas")
    print(f" done after {perf_counter() - start:.1f} s")
    full = full.round({"km": 1, "income": 1}).convert_dtypes()  # dtypes that hold missing cells
    blanks = np.random.default_rng(8).random(full.shape) < BLANK_SHARE
    return full, blanks, full.mask(blanks)


def show_table(model: Model, table: Frame, blanks: Bools) -> None:
    """Print the head of the table, and how likely its rows are."""
    title(f"{len(table)} rows drawn from it, {blanks.sum()} cells blanked")
    head = table.head(5)
    shown = head.astype(object).where(head.notna(), "·")
    print(shown.assign(log_density=model.score_samples(head).round(2)).to_string(index=False))
    print(f"\nmean log-density of all rows, missing cells summed out: {model.score(table):.3f}")


def show_beliefs(model: Model) -> None:
    """Print probabilities, a distribution of each kind and an expectation."""
    title("What the circuit believes")
    renter: dict[str, object] = {"owns": False, "age": (None, 30)}
    events: list[tuple[str, dict[str, object]]] = [
        ("lives in a city", {"place": "city"}),
        ("four people or more", {"people": (4, None)}),
        ("has a car", {"car": {"petrol", "electric"}}),
    ]
    print(f"{'':22}{'anybody':>8}{'renting, up to 30':>20}")
    for words, event in events:
        before, after = model.probability(event), model.probability(event, given=renter)
        print(f"{words:22}{before:>8.3f}{after:>20.3f}")
    print("\ncar, given an income of 50 to 70:")
    print(model.distribution("car", given={"income": (50, 70)}))
    print("\nincome, given two people in a village:")
    print(model.distribution("income", given={"people": 2, "place": "village"}))
    usual, rural = model.expectation("km"), model.expectation("km", given={"place": "village"})
    print(f"\nexpected km a day: {usual:.2f}; in a village: {rural:.2f}")


def show_samples(model: Model) -> None:
    """Print rows drawn under a condition."""
    title("Three households with an electric car and an income above 70")
    drawn = model.sample(3, given={"car": "electric", "income": (70, None)}, random_state=1)
    print(drawn.round({"km": 1, "income": 1}).to_string(index=False))


def show_imputation(model: Model, full: Frame, blanks: Bools, table: Frame) -> None:
    """Print how well blanked cells come back, beside what a column alone would guess."""
    title("Filling the blanks: the circuit beside a guess from the column alone")
    filled = model.impute(table, method="mean")
    print(f"{'':8}{'blanks':>8}{'column':>10}{'circuit':>10}")
    for position, name in enumerate(full.columns):
        blank, truth = blanks[:, position], full[name][blanks[:, position]]
        if model.schema[name].is_discrete:
            guess, unit = table[name].mode()[0], "cells right"
            scores = [f"{(answer == truth).mean():.0%}" for answer in (guess, filled[name][blank])]
        else:
            guess, unit = table[name].median(), "off on average"
            errors = [(answer - truth).abs().mean() for answer in (guess, filled[name][blank])]
            scores = [f"{error:.1f}" for error in errors]
        print(f"{name:8}{blank.sum():>8}{scores[0]:>10}{scores[1]:>10}  {unit}")


def show_completion(model: Model) -> None:
    """Print the most probable household under a condition."""
    title("The most probable household of a 25-year-old")
    found = model.most_probable({"age": 25})
    print(found.rows.round({"km": 1, "income": 1}).to_string(index=False))
    proven = "proven the best" if found.exact[0] else "by max-product, not proven the best"
    print(f"log-density {found.log_likelihood[0]:.2f}, {proven}")


def show_files(model: Model, table: Frame) -> None:
    """Save, load, compare, and draw."""
    title("Files")
    FOLDER.mkdir(exist_ok=True)
    path, drawing = FOLDER / "households.safetensors", FOLDER / "households.dot"
    model.save(path)
    same = bool((load(path).score_samples(table) == model.score_samples(table)).all())
    print(f"{path}: {path.stat().st_size:,} bytes, loaded again; same scores: {same}")
    drawing.write_text(to_dot(model.circuit), encoding="utf-8")
    print(f"{drawing}: the drawing; dot -Tsvg {drawing} > {drawing.with_suffix('.svg')}")


def title(text: str) -> None:
    """Print a heading."""
    print(f"\n── {text} " + "─" * (_WIDTH - len(text) - 4))


if __name__ == "__main__":
    main()
