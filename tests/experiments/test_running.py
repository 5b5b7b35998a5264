import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from experiments import tiny_cells
from softlearn.errors import SoftlearnError
from softlearn.experiments.ledger import Ledger
from softlearn.experiments.running import run

TESTS = Path(__file__).parents[1]


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "rows.jsonl")


@pytest.fixture
def diary(tmp_path, monkeypatch):
    path = tmp_path / "diary"
    monkeypatch.setenv(tiny_cells.DIARY, str(path))
    return lambda: path.read_text(encoding="utf-8").split() if path.exists() else []


def test_each_cell_is_run_once(ledger, diary):
    wanted = tiny_cells.cells(3)
    assert run([*wanted, *wanted], tiny_cells.measure, ledger, cost=tiny_cells.no_cost) == 3
    assert Counter(diary()) == {"set0": 1, "set1": 1, "set2": 1}
    assert list(ledger.by_cell()) == wanted


@pytest.mark.slow
def test_workers_of_a_cluster_run_the_cells(ledger, diary):
    distributed = pytest.importorskip("distributed")
    wanted = tiny_cells.cells(5)
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0"
    ) as workers:
        address = workers.scheduler_address
        n_run = run(wanted, tiny_cells.measure, ledger, cost=tiny_cells.no_cost, cluster=address)
    assert n_run == 5
    assert Counter(diary()) == {cell.dataset: 1 for cell in wanted}
    assert set(ledger.by_cell()) == set(wanted)


def test_what_is_finished_is_not_run_again(ledger, diary):
    run(tiny_cells.cells(2), tiny_cells.measure, ledger, cost=tiny_cells.no_cost)
    before = ledger.path.read_bytes()
    assert run(tiny_cells.cells(4), tiny_cells.measure, ledger, cost=tiny_cells.no_cost) == 2
    assert diary() == ["set0", "set1", "set2", "set3"]
    assert ledger.path.read_bytes().startswith(before)


def test_a_torn_row_is_redone_and_nothing_else(ledger, diary):
    run(tiny_cells.cells(3), tiny_cells.measure, ledger, cost=tiny_cells.no_cost)
    whole = ledger.path.read_bytes()
    ledger.path.write_bytes(whole[:-7])
    assert run(tiny_cells.cells(3), tiny_cells.measure, ledger, cost=tiny_cells.no_cost) == 1
    assert diary() == ["set0", "set1", "set2", "set2"]
    assert list(ledger.by_cell()) == tiny_cells.cells(3)


def test_the_longest_cells_come_first(ledger, diary):
    run(tiny_cells.cells(3), tiny_cells.measure, ledger, cost=lambda cell: int(cell.dataset[-1]))
    assert diary() == ["set2", "set1", "set0"]


def test_a_failure_keeps_the_rows_before_it(ledger, diary):
    def measure(cell):
        if cell.dataset == "set1":
            raise SoftlearnError("no such file")
        return tiny_cells.measure(cell)

    with pytest.raises(SoftlearnError, match="no such file"):
        run(tiny_cells.cells(3), measure, ledger, cost=tiny_cells.no_cost)
    assert list(ledger.by_cell()) == tiny_cells.cells(1)


def test_a_process_that_is_killed_is_told_of(ledger, diary):
    with pytest.raises(SoftlearnError, match=r"was killed.*run the same command again"):
        run(
            tiny_cells.cells(2),
            tiny_cells.measure_or_die,
            ledger,
            cost=tiny_cells.no_cost,
            n_jobs=2,
        )


def test_killed_in_the_middle_it_goes_on_where_it_was(ledger, diary, tmp_path):
    """The parent is killed by -9; its processes end with it, and no finished cell is redone."""
    script = [sys.executable, str(TESTS / "experiments" / "tiny_cells.py")]
    command = [*script, "12", str(ledger.path), "2"]
    paths = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    world = os.environ | {"PYTHONPATH": paths}
    with subprocess.Popen(command, env=world, stdout=subprocess.PIPE) as first:
        _wait_for(lambda: len(ledger.rows()) >= 3)
        first.kill()
        # Its processes hold the other end of this pipe: reading ends when the last of them has.
        first.communicate(timeout=30.0)
    finished = [cell.dataset for cell in ledger.by_cell()]
    assert 3 <= len(finished) < 12
    run(tiny_cells.cells(12), tiny_cells.measure, ledger, cost=tiny_cells.no_cost)
    times = Counter(diary())
    assert {name: times[name] for name in finished} == dict.fromkeys(finished, 1)
    assert set(ledger.by_cell()) == set(tiny_cells.cells(12))


def _wait_for(condition):
    end = time.monotonic() + 60.0
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
