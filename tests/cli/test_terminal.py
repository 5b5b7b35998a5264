"""What a terminal shows: the first rows, as many columns as fit, and nothing in a pipe."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys

import pyarrow as pa
import pytest
from rich.console import Console

from softlearn.cli import progress
from softlearn.cli.answers import aligned, as_json_text, count
from softlearn.cli.rows import rows_out, screen_table


def printed(names, rows, width):
    console = Console(file=io.StringIO(), width=width, highlight=False)
    console.print(screen_table(names, rows, width))
    return console.file.getvalue()


def test_columns_that_do_not_fit_are_counted_and_the_last_stays():
    names = [f"column{number}" for number in range(20)]
    rows = [dict.fromkeys(names, "cell")]
    text = printed(names, rows, 60)
    assert "column0" in text
    assert text.splitlines()[0].endswith("column19")
    n_shown = text.count("column")
    assert f"… {20 - n_shown} more …" in text
    assert all(len(line) <= 60 for line in text.splitlines())


def test_cells_are_short_and_missing_ones_are_dots():
    rows = [{"a": 1 / 3, "b": None, "c": "x" * 99, "d": True}]
    text = printed(["a", "b", "c", "d"], rows, 80)
    assert "0.333333" in text
    assert "·" in text
    assert "…" in text
    assert "true" in text


class Terminal(io.StringIO):
    def isatty(self):
        return True


def on_screen(monkeypatch, *tables, **kind):
    """Return what a terminal of 80 letters shows of tables."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)  # here: pytest changes it before each test
    monkeypatch.setenv("COLUMNS", "80")
    with rows_out(None, force=False, as_json=False, **kind) as rows:
        for table in tables:
            rows.write(table)
    return terminal.getvalue()


def test_a_long_answer_is_cut_and_counted(monkeypatch):
    thirty = pa.table({"x": list(range(30))})
    shown = on_screen(monkeypatch, thirty, thirty)
    assert len(shown.splitlines()) == 12
    assert "… 50 more rows; -o FILE keeps all of them" in shown


def test_a_report_is_shown_whole(monkeypatch):
    cells = {"row": [1], "x": [2.5], "because": ["word " * 40], "more": ["hidden"]}
    shown = on_screen(monkeypatch, pa.table(cells), as_report=True)
    assert shown.count("word") == 40
    assert "hidden" not in shown


def test_numbers_that_json_lacks_are_words():
    answer = {"a": float("-inf"), "b": float("nan"), True: {1, 2}}
    assert json.loads(as_json_text(answer)) == {"a": "-Infinity", "b": "NaN", "true": [1, 2]}


def test_words_are_counted_and_aligned():
    assert count(1, "row") == "1 row"
    assert count(1234, "row") == "1,234 rows"
    assert aligned({"a": "1", "long": "2\n3"}) == "  a     1\n  long  2\n        3"


@pytest.mark.parametrize(("patience", "shows"), [(0.0, True), (60.0, False)])
def test_a_bar_appears_when_the_wait_is_long(patience, shows, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "_PATIENCE", patience)
    with progress.progress_bar("scoring") as advance:
        advance(0.5, 1234)
        advance(None, 5678)
    assert ("scoring" in terminal.getvalue()) == shows


def test_no_bar_in_a_pipe(monkeypatch):
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    with progress.progress_bar("scoring") as advance:
        advance(0.5, 1234)
    assert pipe.getvalue() == ""


def softlearn(*arguments):
    return [sys.executable, "-m", "softlearn", *map(str, arguments)]


def test_a_real_terminal_shows_a_table(model_file, table_file):
    leader, follower = pty.openpty()
    environment = os.environ | {"COLUMNS": "100", "TERM": "xterm"}
    command = softlearn("score", model_file, table_file, "--append")
    subprocess.run(command, stdout=follower, stderr=subprocess.DEVNULL, env=environment, check=True)
    os.close(follower)
    shown = os.read(leader, 10_000).decode()
    os.close(leader)
    assert "log_density" in shown
    assert "name,sex" not in shown


def test_a_reader_that_has_seen_enough_is_no_error(model_file):
    draw = softlearn("sample", model_file, "-n", 50_000)
    with subprocess.Popen(draw, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(timeout=60) == 0
        assert process.stderr.read() == b""


def test_help_loads_nothing_that_computes():
    """Typer and rich are enough; the library itself is what `import softlearn` costs."""
    code = (
        "import sys; sys.argv = ['softlearn', '--help']\n"
        "from softlearn.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = ('numba', 'pandas', 'pyarrow', 'polars', 'sklearn', 'matplotlib', 'narwhals')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
