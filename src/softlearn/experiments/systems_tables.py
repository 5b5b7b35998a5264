"""Tables of the results of all systems, beside the published figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from softlearn.datasets import DEBD_NAMES
from softlearn.experiments.cell import Row
from softlearn.experiments.document import Block, Document, Paragraph, Picture, Table
from softlearn.experiments.published import QUOTED, comparison
from softlearn.experiments.summaries import Spread, groups, in_order, shown, spread
from softlearn.experiments.systems_compared import COMPARED
from softlearn.show.plots import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLOSE: Final = 0.015  # a share of the published figure that a system may be worse by
Found: TypeAlias = Mapping[tuple[str, str], Sequence[Row]]  # by data set and system


def document(rows: Sequence[Row]) -> Document:
    """Return the table of test scores, the counts, what was chosen, and the picture."""
    found: Found = {
        (one, two): own for (one, two), own in groups(rows, "dataset", "system").items()
    }
    datasets = in_order(rows, DEBD_NAMES)
    systems = [name for name in COMPARED if any(system == name for _, system in found)]
    blocks: list[Block] = [
        Paragraph(
            "Mean log-likelihood of a row of the test split in nats, higher is better. Each system "
            "learns from the training split with every setting of a small grid; the setting that "
            "is best on the validation split is scored on the test split, once."
        ),
        _scores(found, datasets, systems),
        _counts(found, systems),
        _prices(found, datasets, systems),
        Picture(
            "systems",
            "Test log-likelihood less the published figure of the same system, in per cent of it; "
            "right of the line is better. Differences beyond 10 per cent stand at the edge.",
            lambda: _draw(found, datasets, systems),
        ),
    ]
    return Document("Every system of the comparison", blocks)


def published(dataset: str, system: str) -> float | None:
    """Return the figure that others have printed of a system on the test split."""
    column = COMPARED[system].published
    return comparison()[dataset][column] if column in QUOTED else None


def difference(ours: float, theirs: float) -> float:
    """Return the relative difference of our figure and theirs; positive is better."""
    return (ours - theirs) / abs(theirs)


def _test(found: Found, dataset: str, system: str) -> Spread | None:
    own = found.get((dataset, system))
    return spread(own, "test") if own else None


def _scores(found: Found, datasets: Sequence[str], systems: Sequence[str]) -> Table:
    body = []
    for dataset in datasets:
        ours = {system: _test(found, dataset, system) for system in systems}
        best = max(score.mean for score in ours.values() if score is not None)
        line = [dataset]
        for system, score in ours.items():
            theirs = published(dataset, system)
            text = "–" if score is None else str(score)
            if score is not None and score.mean == best:
                text = f"**{text}**"
            line.append(text if theirs is None else f"{text} ({shown(theirs)})")
        body.append(line)
    note = (
        "**Strong**: the best of ours. In brackets: as published, on the test split. The paper's "
        "own figures of SoftLearn and LearnSPN (Correia) are of the validation split and stand in "
        "`binary`. ID-SPN has Chow–Liu trees where the original has arithmetic circuits."
    )
    head = ["data set", *(COMPARED[system].label for system in systems)]
    return Table("Test split", head, body, note)


def _counts(found: Found, systems: Sequence[str]) -> Table:
    body = []
    for system in systems:
        pairs = [
            difference(spread(own, "test").mean, theirs)
            for (dataset, name), own in found.items()
            if name == system and (theirs := published(dataset, system)) is not None
        ]
        if pairs:
            close = sum(one >= -CLOSE for one in pairs)
            better = sum(one >= 0.0 for one in pairs)
            of = f"of {len(pairs)}"
            body.append([COMPARED[system].label, f"{better} {of}", f"{close} {of}"])
    head = ["system", "at least as published", f"within {CLOSE:.1%} of it or better"]
    left = [one.label for name, one in COMPARED.items() if name not in systems]
    note = "Of the data sets that were run." + (f" Not run at all: {', '.join(left)}." * bool(left))
    return Table("Beside the published figures", head, body, note)


def _prices(found: Found, datasets: Sequence[str], systems: Sequence[str]) -> Table:
    """Return a table of the chosen settings and the time they took."""
    body = []
    for dataset in datasets:
        for system in systems:
            own = found.get((dataset, system))
            if own:
                chosen = ", ".join(f"{name} {value:g}" for name, value in own[0]["chosen"].items())
                body.append(
                    [
                        dataset,
                        COMPARED[system].label,
                        chosen or "–",
                        shown(spread(own, "valid").mean),
                        f"{spread(own, 'seconds').mean:,.1f}",
                        f"{spread(own, 'seconds_of_all').mean:,.1f}",
                        f"{spread(own, 'n_edges').mean:,.0f}",
                    ]
                )
    head = ["data set", "system", "chosen on valid", "valid", "seconds", "all settings", "edges"]
    note = "CPU seconds, in one thread: of the chosen setting, and of all settings."
    return Table("What was chosen, and what it took", head, body, note)


def _draw(found: Found, datasets: Sequence[str], systems: Sequence[str]) -> Figure:
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra

    quoted = [system for system in systems if COMPARED[system].published in QUOTED]
    figure = Figure(figsize=(7.2, 1.2 + 0.45 * max(len(quoted), 1)), layout="constrained")
    ax = figure.add_subplot()
    style.quiet(ax, grid="x")
    for place, system in enumerate(quoted):
        for dataset in datasets:
            score, theirs = _test(found, dataset, system), published(dataset, system)
            if score is not None and theirs is not None:
                gain = 100.0 * difference(score.mean, theirs)
                colour = style.MODEL if gain >= -100.0 * CLOSE else style.ALERT
                shown_at = min(max(gain, -10.0), 10.0)
                ax.plot([shown_at], [place], "o", color=colour, markersize=4, alpha=0.7)
    ax.axvline(0.0, color=style.QUIET, linewidth=1.0)
    ax.set_yticks(range(len(quoted)), [COMPARED[system].label for system in quoted])
    ax.set_xlim(-10.5, 10.5)
    ax.set_ylim(len(quoted) - 0.5, -0.5)
    ax.set_xlabel("difference to the published figure, per cent", fontsize=style.NORMAL)
    return figure
