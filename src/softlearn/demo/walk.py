"""Run all steps of the demo."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import Any

from softlearn import __version__
from softlearn.datasets import worlds
from softlearn.demo import findings, pictures
from softlearn.demo.page import Page, percent
from softlearn.demo.tables import LOST_SHARE, N_FRESH, N_ROWS, Frame, lossy
from softlearn.estimators import SoftLearn
from softlearn.model import Model, load
from softlearn.show import tell

FOLDER = Path("demo")


def main() -> dict[str, Any]:
    """Learn a world back from its rows, ask it questions, and leave files in ``demo``.

    Returns
    -------
    dict
        What was found, as dicts, lists, text and numbers.
    """
    begin, page, truth = perf_counter(), Page(), worlds.households()
    page.say(f"softlearn {__version__}: learn a table, then ask questions about it", "bold")
    page.say("The first run compiles for about a minute; later ones take seconds.", "dim")
    rows = lossy(truth, seed=0)
    page.title("Rows from a known distribution")
    page.say(
        f"Students, families, farmers and pensioners: a circuit of "
        f"{truth.circuit.n_nodes} nodes.\n{N_ROWS:,} rows are drawn from it; "
        f"{percent(LOST_SHARE)} of their cells are removed (·)."
    )
    page.rows(rows.table)
    scores = _learning(page, truth)
    model = SoftLearn(random_state=0).fit(rows.table).model_
    page.title("What SoftLearn found")
    page.told(tell(model))
    answers = _question(page, model, truth)
    page.title("Missing cells, filled")
    page.say("Filled from the column alone, and by the circuit from the rest of the row.\n")
    filled = findings.fill(model, rows)
    page.filled(filled)
    page.title("An unusual row, and why")
    page.say("Hidden among fresh rows; each of its cells by itself is ordinary.\n")
    odd = findings.spot(truth, rows.table)
    page.odd(odd)
    files = _files(page, model, rows.table)
    page.say(f"\nDone in {perf_counter() - begin:.0f} seconds.", "bold")
    return {
        "scores": [asdict(one) for one in scores],
        "question": [asdict(one) for one in answers],
        "filled": [asdict(one) for one in filled],
        "odd": asdict(odd),
        "files": [str(path) for path in files],
    }


def _learning(page: Page, truth: Model) -> list[findings.Scores]:
    page.title("Learnt from the rows, and compared with the truth")
    scores = [findings.compare(truth, n_rows) for n_rows in findings.SIZES]
    page.say(
        f"Log-density of {N_FRESH:,} fresh rows, in nats per row; means of {scores[0].tables} "
        "tables per size.\nNumbers have no scales here, as in the true distribution.\n"
    )
    page.scores(scores)
    return scores


def _question(page: Page, model: Model, truth: Model) -> list[findings.Answer]:
    page.title("A question: 8 to 12 km a day, not in the city. Which car?")
    page.say("The learnt and the true probabilities, and those without the condition.\n")
    answers = findings.ask(model, truth)
    page.answers(answers)
    return answers


def _files(page: Page, model: Model, table: Frame) -> list[Path]:
    """Save the model, load it again, and draw."""
    page.title("Files")
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / "households.safetensors"
    model.save(path)
    same = bool((load(path).score_samples(table) == model.score_samples(table)).all())
    page.say(f"  {path}   {path.stat().st_size:,} bytes; loaded again, same answers: {same}")
    if not pictures.can_draw():
        page.say('  no pictures: they need matplotlib, pip install "softlearn[plot]"')
        return [path]
    drawn = pictures.draw(model, table, FOLDER)
    page.say(f"  {', '.join(str(one) for one in drawn.values())}")
    page.say(f'\nAsk more: softlearn query {path} car --given "age<30"')
    page.say(f"Explore it in the browser: softlearn explore {path}")
    return [path, *drawn.values()]
