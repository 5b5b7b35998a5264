"""The benchmark runs, and what it measures is right; how fast it is no test asks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from benchmarks import explore, query, scale, soak, systems, wide
from benchmarks.tasks import __main__ as tasks
from benchmarks.tasks import split as splits
from benchmarks.tasks.catalogue import TASKS, Cell, can_run, cells_of
from benchmarks.tasks.ledger import Ledger, row_not_run
from benchmarks.tasks.one_hot import OneHot
from benchmarks.tasks.outliers import with_spoilt_rows
from benchmarks.tasks.tables import tables
from benchmarks.workloads import WORKLOADS, tree
from threadpoolctl import threadpool_limits

from softlearn import HCLT, Model
from softlearn.circuit import violations
from softlearn.datasets import Mixed
from softlearn.datasets.worlds import hidden_groups
from softlearn.table import infer_schema

ROOT = Path(__file__).resolve().parent.parent


def test_a_quick_run_prints_a_row_for_each_query():
    command = [sys.executable, "-m", "benchmarks", "--quick", "--only", "tree-1k"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    rows = [line.split() for line in run.stdout.splitlines() if line.startswith("tree-1k")]
    assert [row[1] for row in rows] == list(query.QUERIES)
    assert all(re.fullmatch(r"\d+\.\d+", row[-1]) for row in rows)


def test_an_explorer_under_load_answers_everybody():
    model = Model(tree(20, 300))
    with explore.served(model.circuit) as server:
        found = explore.measure(model, server, 5, at_once=8, rounds=2)
    assert found["failed"] == 0
    assert found["p95_ms"] >= found["median_ms"] > 0.0


def test_a_disagreement_prints_no_time(monkeypatch):
    def wrong(circuit, values, n_threads):
        return np.zeros(values.shape[1])

    monkeypatch.setattr(query.PlainCircuit, "log_likelihood", wrong)
    result = next(query.measure(WORKLOADS[0], 20, 1, 1))
    assert "plain loop" in result.disagreement
    assert np.isnan(result.seconds)


@pytest.mark.parametrize("workload", [w for w in WORKLOADS if "100k" not in w.name])
def test_workloads_are_valid_circuits(workload):
    assert not violations(workload.build())


def test_a_path_of_a_factorised_circuit_has_all_its_edges():
    circuit = tree(5, 1)
    assert query.path_edges(circuit) == circuit.n_edges == 5


def people(n_rows: int) -> Mixed:
    rng = np.random.default_rng(0)
    young = rng.random(n_rows) < 0.5
    frame = pd.DataFrame(
        {
            "sport": pd.Categorical(np.where(rng.random(n_rows) < 0.8, young, ~young)).map(
                {True: "climbing", False: "rowing"}
            ),
            "age": rng.normal(np.where(young, 25, 50), 5).round().astype(int),
            "speed": rng.normal(np.where(young, 3.0, -3.0)),
            "one": 1.0,
            "kind": pd.Categorical(np.where(young, "young", "old")),
        }
    )
    return Mixed(frame, infer_schema(frame, overrides={"one": "numeric"}), "kind")


def result(system: str, value: float, seed: int = 0) -> dict:
    return {
        "task": "synthetic",
        "dataset": "cmc",
        "system": system,
        "seed": seed,
        "figures": {"detection AUC": value, "accuracy on real rows": value},
        "fit_seconds": 1.0,
    }


def test_a_quick_run_of_all_tasks_has_a_table_for_each_figure(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(splits, "load_mixed", lambda _: people(150))
    page = tmp_path / "page.md"
    results = tmp_path / "rows.jsonl"
    told = ["--quick", "--results", str(results), "--write", str(page)]
    with threadpool_limits(1):  # many tiny fits: threads would only wait for each other
        assert tasks.main(told) == 0
    printed = capsys.readouterr()
    titles = [figure.title for task in TASKS.values() for figure in task.figures]
    assert [line[4:] for line in printed.out.splitlines() if line.startswith("### ")] == titles
    assert (
        printed.out.split() == page.read_text(encoding="utf-8").split()[-len(printed.out.split()) :]
    )

    finished = results.read_bytes()
    tasks.main(told)
    again = capsys.readouterr()
    assert (again.out, again.err) == (printed.out, "")
    assert results.read_bytes() == finished


def test_a_line_without_its_end_is_cut_off_and_its_cell_runs_again(tmp_path):
    path = tmp_path / "rows.jsonl"
    first, second = (Cell("outliers", "cmc", "SoftLearn", seed, 100) for seed in (0, 1))
    Ledger(path).add(first, {**asdict(first), "figures": {"auc": 0.5}})
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"task": "outl')
    ledger = Ledger(path)
    assert first in ledger
    assert second not in ledger
    assert path.read_bytes() == whole


def test_a_cell_that_could_not_be_run_is_tried_again(tmp_path):
    path = tmp_path / "rows.jsonl"
    cell = Cell("synthetic", "cmc", "CTGAN", 0, 100)
    Ledger(path).add(cell, row_not_run(cell, "a reason"))
    assert cell not in Ledger(path)
    assert Ledger(path).rows([cell])[0]["not_run"] == "a reason"
    Ledger(path).add(cell, {**asdict(cell), "figures": {"detection AUC": 0.5}})
    assert cell in Ledger(path)


def test_rivals_of_other_environments_run_only_with_their_python():
    cells = list(cells_of(["synthetic"], ["cmc"], 1, 100))
    without = {cell.system for cell in cells if not can_run(cell, {})}
    assert without == {"Gaussian copula", "CTGAN"}
    assert all(can_run(cell, dict.fromkeys(without, "python")) for cell in cells)


def test_the_split_is_disjoint_capped_and_the_same_for_everybody(monkeypatch):
    table = people(150)
    table.frame["speed"] = np.arange(150.0)
    monkeypatch.setattr(splits, "load_mixed", lambda _: table)
    one, same, other = (splits.split_of("cmc", seed, 100) for seed in (0, 0, 1))
    assert (len(one.train), len(one.test)) == (100, 30)
    assert not set(one.train["speed"]) & set(one.test["speed"])
    assert one.train.equals(same.train)
    assert not one.train.equals(other.train)


def test_one_hot_rows_come_back_and_missing_levels_are_missing():
    frame, schema, _ = people(50)
    one_hot = OneHot(schema, frame)
    back = one_hot.decode(one_hot.encode(frame), frame)
    for name in ("sport", "kind"):
        assert list(back[name]) == list(frame[name])
    for name in ("age", "speed", "one"):
        assert back[name].to_numpy() == pytest.approx(frame[name].to_numpy())
    frame.loc[3, "sport"] = None
    assert (
        np.isnan(one_hot.encode(frame)[3]).tolist()
        == [True, True, False, False, False] + [False] * 2
    )


def test_a_spoilt_row_has_values_of_its_columns_and_the_others_stay():
    frame = people(200).frame
    spoilt, which = with_spoilt_rows(frame, np.random.default_rng(0))
    assert which.sum() == 4
    assert spoilt[~which].equals(frame[~which])
    assert not (spoilt[which]["speed"] == frame[which]["speed"]).all()
    for name in frame:
        assert set(spoilt[name]) <= set(frame[name])


def test_the_nearest_to_a_half_is_best_and_real_rows_do_not_compete():
    rows = [
        result("SoftLearn", 0.7),
        result("CircuitMixture(10)", 0.2),
        result("(real rows)", 0.5),
    ]
    shown = tables(rows)
    lines = {line.split("|")[1].strip(): line for line in shown.splitlines() if "|" in line[:1]}
    detection = shown.split("###")[1]
    assert "**0.700**" in detection
    assert detection.count("**") == 2
    assert "not run" in lines["CTGAN"]


def test_a_cell_shows_mean_deviation_and_seconds_and_a_reason_if_there_is_none():
    cell = Cell("synthetic", "cmc", "CTGAN", 0, 100)
    rows = [result("SoftLearn", 0.6), result("SoftLearn", 0.8, seed=1)]
    shown = tables([*rows, row_not_run(cell, "took more than 300 s")])
    assert "**0.700** ± 0.141 (1.00 s)" in shown
    assert "Not run: CTGAN on cmc: took more than 300 s." in shown


def test_models_answer_alike_while_their_files_are_replaced():
    said = soak.run(seconds=6.0)
    assert "all as in quiet" in said


@pytest.mark.slow
@pytest.mark.skipif("SOFTLEARN_DATA" not in os.environ, reason="SOFTLEARN_DATA names no folder")
def test_the_systems_are_measured_beside_their_matrix_products():
    command = [sys.executable, "-m", "benchmarks.systems", "--only", "nltcs", "--rows", "256"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    shares = [float(line.split()[-1]) for line in run.stdout.splitlines() if " nltcs " in line]
    assert len(shares) == 3
    assert all(0.0 < share < 1.0 for share in shares)


def test_bare_products_are_those_of_all_blocks_of_sums():
    circuit = HCLT(n_states=16, max_iter=0).fit(np.eye(6)[[0, 1, 2, 3, 4, 5] * 5]).model_.circuit
    blocks = systems.dense_blocks(circuit.structure)
    n_edges = int((blocks.n_sums * blocks.n_children).sum())
    assert n_edges == 5 * 16 * 16  # one block for each edge of the tree of six columns


def test_circuits_of_many_columns_come_near_the_truth_and_do_not_pass_it():
    by_chance = wide.independent_normals(n_rows=100, n_columns=60)
    assert -0.5 < by_chance.nats < 1.0
    world = wide.hidden_world(n_rows=1_000, n_columns=20, n_groups=3)
    assert 0.0 < world.nats < 3.0
    assert "1,000 rows" in str(world)


def test_rows_of_the_scale_benchmark_are_drawn_in_pieces_and_learnt_from(tmp_path, monkeypatch):
    monkeypatch.setattr(scale, "PIECE_ROWS", 300)
    truth = hidden_groups(4, 2, mixed=True)
    folder = scale.written(truth, 700, tmp_path / "rows-700", seed=0)
    sizes = [len(pd.read_parquet(file)) for file in sorted(folder.glob("*.parquet"))]
    assert sizes == [300, 300, 100]
    before = [file.stat().st_mtime_ns for file in sorted(folder.iterdir())]
    scale.written(truth, 700, folder, seed=0)
    assert [file.stat().st_mtime_ns for file in sorted(folder.iterdir())] == before
    scale.written(truth, 200, tmp_path / "held-out", seed=1)
    found = scale.learn_once(scale.Run(700, 0, None, "softlearn", None), tmp_path)
    assert found["nodes"] > 1
    assert found["held_out"] < 0.0 < found["client_mb"]
