"""The style of all plots: a palette for colour-blind readers, and plain axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from softlearn.show.wording import shortened
from softlearn.table import Column

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MODEL = "#0b5d9c"  # the model
DATA = "#c9d2da"  # the table
ALERT = "#d1495b"  # highlights
DOT = "#e07b00"  # single rows, on white as well as on blue
INK = "#263238"
QUIET = "#78868f"
FAINT = "#e6eaed"
# Blue, orange, green, purple, sky, brown, grey: neighbours differ in lightness and in hue.
SERIES = ("#0b5d9c", "#e69f00", "#117a5d", "#b5689b", "#56b4e9", "#7a4b16", "#9aa5ab")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
HEAT = ("#ffffff", "#d5e4f0", "#8fbbdc", "#3f86bd", "#0b5d9c", "#06355a")  # from nothing to most

SMALL, NORMAL = 8.0, 9.0  # points
_NAME_LETTERS = 32
_FEW_NAMES = 4  # of long names that do not touch at a gentle angle


def quiet(ax: Axes, *, grid: str = "") -> None:
    """Remove lines and ticks without information; ``grid`` is "x", "y" or empty."""
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(QUIET)
    ax.tick_params(labelsize=SMALL, colors=INK, color=QUIET, length=3)
    ax.set_axisbelow(True)
    if grid:
        ax.grid(axis=grid, color=FAINT, linewidth=0.8)  # type: ignore[arg-type]


def bars_only(ax: Axes) -> None:
    """Remove the ticks of a density axis, whose values are not informative."""
    ax.spines["left"].set_visible(False)
    ax.set_yticks([])


def plain(text: str, letters: int = _NAME_LETTERS) -> str:
    """Return a user's name of a column or level, escaped for matplotlib and shortened.

    Between dollar signs matplotlib would read a formula, and a name that begins with an underscore
    would be left out of legends.
    """
    shown = shortened(text, letters).replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown


def title(ax: Axes, text: str, note: str = "") -> None:
    """Write a title on the left, and a quiet note on the right."""
    ax.set_title(plain(text, 2 * _NAME_LETTERS), loc="left", fontsize=NORMAL, color=INK)
    if note:
        ax.set_title(plain(note, 50), loc="right", fontsize=SMALL - 1, color=QUIET)


def axis_name(column: Column) -> str:
    """Return a column's name as an axis shows it."""
    return plain(column.name)


def legend(ax: Axes, **where: Any) -> None:  # noqa: ANN401 - matplotlib's own options
    """Add a legend without a frame."""
    ax.legend(frameon=False, fontsize=SMALL, labelcolor=INK, **where)


def heat_map() -> Any:  # noqa: ANN401 - a colour map
    """Return the colours of heat maps; what is impossible is white."""
    from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415

    return LinearSegmentedColormap.from_list("softlearn", list(HEAT))


def share_axis(ax: Axes, which: str, *, narrow: bool = False) -> None:
    """Let an axis of probabilities begin at 0, with ticks in per cent."""
    from matplotlib.ticker import MaxNLocator, PercentFormatter  # noqa: PLC0415

    axis = ax.xaxis if which == "x" else ax.yaxis
    if which == "x":
        ax.set_xlim(left=0.0)
    else:
        ax.set_ylim(bottom=0.0)
    axis.set_major_locator(MaxNLocator(nbins=3 if narrow else 6, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))


def count_axis(ax: Axes) -> None:
    """Use whole numbers for the ticks of a vertical axis of counts."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    ax.yaxis.set_major_locator(
        MaxNLocator(nbins="auto", steps=[1, 2, 5, 10], integer=True, min_n_ticks=1)
    )


def turn_long_names(ax: Axes, names: Sequence[str]) -> None:
    """Turn the names below an axis if side by side they would touch."""
    if sum(map(len, names)) > 16:
        ax.tick_params(axis="x", rotation=40 if len(names) <= _FEW_NAMES else 65)
        for label in ax.get_xticklabels():
            label.set(ha="right", rotation_mode="anchor")
