"""The page of the documentation: our rows beside quoted ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple

from benchmarks.tables.published import HARDWARE, PAPER, Quoted, quoted
from benchmarks.tables.splits import DATASETS
from softlearn.experiments.wrapping import wrapped
from softlearn.whole_files import write_whole

Row = dict[str, Any]
Group = list[Row]  # the seeds of one table, setting and label

INTRO = f"""# Drawn rows, measured

How far rows that a circuit draws are from real ones, on ten public tables, beside published generators.
This page is written by `python -m benchmarks.tables page` from `benchmarks/results/tables.jsonl`, and edited by nobody;
[the benchmark's page](../benchmarks/README.md#tables) says how to run it.

- **Learnt from, drawn:** the training rows, and as many. The first four tables have published splits; the others are cut 80/20, once for all.
- **Settings:** `default` is `SoftLearn()`; `first-version-settings` has the first version's level of tests (0.01) and smoothing (per level) on today's leaves;
  `four-clusters` is `SoftLearn(n_clusters=4)`; `mixture8-deep` averages eight circuits with `significance=0.3, n_clusters=6, smoothing=0.01`;
  `auto` and `auto-samples` are `AutoCircuit(60)` on one core, with `goal="likelihood"` and `goal="samples"`. Missing cells are modelled by all.
- **C2ST-XGB, C2ST-LR:** boosted trees, or a logistic regression, try to tell training rows from drawn ones (sdmetrics' detection metric); 1: they cannot, 0: they always can.
  A logistic regression sees little more than means, so that 1 is easily reached.
- **Shape, Trend:** how alike columns are one by one, and two by two (sdmetrics' quality report); 1 is best.
- **Useful:** boosted trees learn the target from drawn rows and are judged by real test rows: AUC, higher is better, and for beijing RMSE of the
  logarithm, lower is better. Ours have xgboost's defaults, the quoted ones the best of 36 choices: compare with care.
- **Quoted:** figures of {PAPER}, not run here. They were measured on the authors' own rows of these tables, and seconds on a graphics card ({HARDWARE}); ours are of the processor
  that the detail names. The best figure of a column is bold; – is a figure that the paper has not. *3 of 11* is the place among the quoted systems that have the figure and ours.
"""  # noqa: E501 - lines of the page


class Figure(NamedTuple):
    """A column that quoted systems have too."""

    name: str  # in our rows
    quoted: str
    title: str
    is_high_good: bool = True


COMMON = (
    Figure("c2st_xgb", "c2st_xgb", "C2ST-XGB"),
    Figure("c2st_lr", "c2st_lr", "C2ST-LR"),
    Figure("shape", "shape", "Shape"),
    Figure("trend", "trend", "Trend"),
)
USEFUL_AUC = Figure("auc_from_drawn", "ml_efficacy", "Useful")
USEFUL_RMSE = Figure("rmse_of_log_from_drawn", "ml_efficacy", "Useful", is_high_good=False)
SECONDS = Figure("fit_seconds", "train_seconds_a6000", "fit", is_high_good=False)


def write_page(path: Path, rows: list[Row]) -> None:
    """Write the page."""
    write_whole(path, wrapped(_page(rows) + "\n"))


def _page(rows: list[Row]) -> str:
    groups = _grouped(rows)
    latest = max(rows, key=lambda row: row["run"]["date"])["label"] if rows else ""
    parts = [INTRO.strip(), f"## At a glance: {latest}"]
    parts += [_glance([group for group in groups if group[0]["label"] == latest])]
    for dataset in DATASETS:
        ours = [group for group in groups if group[0]["dataset"] == dataset]
        if ours:
            parts += [f"## {dataset}", _contest(dataset, ours)]
    parts += ["## Ours in detail", DETAIL, _detail(groups), _machines(rows)]
    return "\n\n".join(parts)


def _grouped(rows: list[Row]) -> list[Group]:
    found: dict[tuple[str, str, str], Group] = {}
    for row in sorted(rows, key=lambda row: DATASETS.index(row["dataset"])):
        found.setdefault((row["dataset"], row["label"], row["settings"]), []).append(row)
    return list(found.values())


def _figures(group: Group) -> tuple[Figure, ...]:
    useful = USEFUL_RMSE if USEFUL_RMSE.name in group[0]["figures"] else USEFUL_AUC
    return (*COMMON, useful, SECONDS)


def _values(group: Group, name: str) -> list[float]:
    rows = group if name == SECONDS.name else [row["figures"] for row in group]
    return [float(row[name]) for row in rows]


def _glance(groups: Iterable[Group]) -> str:
    """Return a table of our figures and their places among the quoted systems."""
    lines = [["table", "settings", *(figure.title for figure in (*COMMON, USEFUL_AUC)), "fit"]]
    for group in groups:
        others = quoted(group[0]["dataset"])
        cells = []
        for figure in _figures(group)[:-1]:
            mean = fmean(_values(group, figure.name))
            cells.append(_shown(mean) + _place(mean, figure, others))
        seconds = _seconds(fmean(_values(group, SECONDS.name)))
        lines.append([group[0]["dataset"], group[0]["settings"], *cells, seconds])
    return _table(lines, n_words=2)


def _place(mean: float, figure: Figure, others: dict[str, dict[str, Quoted]]) -> str:
    rivals = [system[figure.quoted].value for system in others.values()]
    known = [value for value in rivals if value is not None]
    if not known:
        return ""
    ahead = sum(value > mean if figure.is_high_good else value < mean for value in known)
    return f" ({ahead + 1} of {len(known) + 1})"


def _contest(dataset: str, groups: list[Group]) -> str:
    """Return a table of our systems and the quoted ones, the best of each column in bold."""
    figures = _figures(groups[0])
    body: list[tuple[list[str], list[tuple[str, float | None]]]] = []
    for group in groups:
        cells = []
        for figure in figures:
            values = _values(group, figure.name)
            shown = _seconds if figure is SECONDS else _shown
            cells.append((shown(fmean(values)) + _spread(values, figure), fmean(values)))
        name = f"{group[0]['settings']}, {group[0]['label']}"
        body.append(([name, "ours"], cells))
    for system, found in quoted(dataset).items():
        cells = [(found[figure.quoted].text, found[figure.quoted].value) for figure in figures]
        cells[-1] = (_seconds(cells[-1][1]), cells[-1][1])
        body.append(([system, f"quoted, {HARDWARE}"], cells))
    best = [_best([cells[i][1] for _, cells in body], figure) for i, figure in enumerate(figures)]
    lines = [["system", "", *(figure.title for figure in figures)]]
    for words, cells in body:
        bold = [
            f"**{text}**" if value is not None and value == top else text
            for (text, value), top in zip(cells, best, strict=True)
        ]
        lines.append([*words, *bold])
    return _table(lines, n_words=2)


def _best(values: list[float | None], figure: Figure) -> float | None:
    """Return the best of several values; alone in its column nobody has won."""
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return None
    return max(known) if figure.is_high_good else min(known)


DETAIL = """What nobody has quoted, for our rows.

- **test, train as few:** C2ST-XGB by the test rows, and by as many training rows; both judges see equally few rows, which makes them milder than the one above. A learner that copies its rows has a much higher second figure.
- **native:** C2ST-XGB with levels as levels instead of one-hot, and missing cells as such.
- **Trend alike:** Trend cuts the numbers of each table between its own extremes, so that one drawn number beyond the real ones moves all bins; here both are cut by the real table's bins.
- **score:** mean log-density per test row, in nats; **refused:** test rows that have none (a level never seen, or probability 0), which the mean leaves out.
- **below 0, off marks:** share of the drawn numbers that are negative in a column that never is, or have more decimals than any training row (columns with more than six have no marks).
- **nearer:** share of drawn rows nearer to a training row than to one of as many test rows; 0.5 is nobody's copy.
- **worst column:** the AUC of boosted trees that see one column only; 0.5 cannot be told apart.
- **useful:** AUC (beijing: R²) on test rows after learning from drawn rows / from the training rows.
- **processor:** seconds of the fit on all cores together, which a busy machine does not stretch as it does those above; **draw:** elapsed seconds.
- **peak:** memory of the whole process until the rows are drawn."""  # noqa: E501 - lines of the page


def _detail(groups: list[Group]) -> str:
    head = ["table", "settings, label", "test", "train as few", "native", "Trend alike", "score"]
    head += ["refused", "below 0", "off marks", "nearer", "worst column", "useful"]
    head += ["processor", "draw", "peak", "nodes"]
    return _table([head, *map(_detail_line, groups)], n_words=2)


def _detail_line(group: Group) -> list[str]:
    def mean(name: str) -> float:
        return fmean(_values(group, name))

    first = group[0]
    useful = "auc" if "auc_from_drawn" in first["figures"] else "r2"
    likeness = ("c2st_xgb_test", "c2st_xgb_train_as_few", "c2st_xgb_native", "trend_same_bins")
    return [
        first["dataset"],
        f"{first['settings']}, {first['label']}",
        *(_shown(mean(name)) for name in likeness),
        f"{mean('score'):.2f}".replace("-", "−"),
        *(f"{100 * mean(name):.1f} %" for name in ("not_scored", "negative_cells")),
        f"{100 * mean('off_mark_cells'):.0f} %",
        f"{mean('nearer_to_train'):.3f}",
        f"{first['worst_column']} {mean('worst_column_auc'):.2f}",
        f"{mean(f'{useful}_from_drawn'):.3f} / {mean(f'{useful}_from_real'):.3f}",
        _seconds(fmean(row["processor_seconds"] for row in group)),
        _seconds(fmean(row["sample_seconds"] for row in group)),
        f"{fmean(row['peak_mb'] for row in group):.0f} MB",
        f"{fmean(row['n_nodes'] for row in group):,.0f}",
    ]


def _machines(rows: list[Row]) -> str:
    told = {f"{row['label']}: {row['run']['machine']}, {row['run']['commit']}" for row in rows}
    return "Measured on (label: machine, commit): " + "; ".join(sorted(told)) + "."


def _shown(value: float) -> str:
    """Return a figure with the decimals that the papers print."""
    return "<0.0001" if 0 <= value < 0.0001 else f"{value:.4f}"


def _spread(values: list[float], figure: Figure) -> str:
    return f" ± {stdev(values):.4f}" if len(values) > 1 and figure is not SECONDS else ""


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:,.0f} s"


def _table(lines: list[list[str]], n_words: int) -> str:
    """Return lines as Markdown; the first columns are words, the others numbers."""
    n_columns = len(lines[0])
    assert {len(line) for line in lines} == {n_columns}
    rule = ["---"] * n_words + ["---:"] * (n_columns - n_words)
    return "\n".join(_rows([lines[0], rule, *lines[1:]]))


def _rows(lines: list[list[str]]) -> Iterator[str]:
    for line in lines:
        yield f"| {' | '.join(line)} |"
