"""Workers in separate processes: the same results as in memory, and clear errors."""

from __future__ import annotations

import json
from time import monotonic
from types import SimpleNamespace

import distributed
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from scale.tables import in_partitions, mixed_table
from softlearn import SoftLearn, load
from softlearn.circuit.file import circuit_to_bytes
from softlearn.cli.main import app
from softlearn.errors import SoftlearnError
from softlearn.scale import cluster as cluster_module
from softlearn.scale import open_cluster
from softlearn.scale.cluster import check_versions

MIXED = mixed_table()
pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _here():
    """Let Dask work where the current client is, and not in this process."""


def run(*arguments):
    return CliRunner().invoke(app, [str(one) for one in arguments])


def test_processes_learn_and_answer_as_one(workers):
    here = SoftLearn(random_state=0).fit(MIXED)
    with open_cluster(address=workers.scheduler_address) as cluster:
        assert cluster.n_workers == 2
        rows = in_partitions(MIXED, 7)
        there = SoftLearn(random_state=0).fit(rows)
        scores = there.score_samples(rows).compute()
        drawn = there.sample(50, random_state=0, partition_rows=20).compute()
        assert cluster.bytes_moved() > 0
    assert circuit_to_bytes(here.model_.circuit) == circuit_to_bytes(there.model_.circuit)
    np.testing.assert_array_equal(scores, here.score_samples(MIXED))
    expected = here.sample(50, random_state=0, partition_rows=20).compute()
    pd.testing.assert_frame_equal(drawn, expected)


def test_errors_come_back_from_workers_in_the_same_words(workers):
    rows = in_partitions(MIXED.assign(x=MIXED["x"].where(MIXED.index < 290, np.inf)), 3)
    with (
        open_cluster(address=workers.scheduler_address),
        pytest.raises(SoftlearnError, match="partition 2: column 'x' holds inf"),
    ):
        SoftLearn().fit(rows)


def test_a_worker_with_another_version_is_refused(workers):
    with distributed.Client(workers) as client:
        one = next(iter(client.scheduler_info()["workers"]))
        client.run(_pretend, "0.0.1", workers=[one])
        try:
            with (
                pytest.raises(SoftlearnError, match=r"has softlearn 0\.0\.1, but this process has"),
                open_cluster(address=workers.scheduler_address),
            ):
                pass
        finally:
            client.run(_pretend, _version(), workers=[one])


def _version():
    import softlearn

    return softlearn.__version__


def _pretend(version):
    import softlearn

    softlearn.__version__ = version


def test_a_worker_without_softlearn_is_refused():
    with pytest.raises(SoftlearnError, match=r"tcp://a has none \(No module"):
        check_versions({"tcp://a": ModuleNotFoundError("No module named 'softlearn'")})


def test_a_scheduler_that_does_not_answer_is_told_in_seconds(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster_module, "SCHEDULER_TIMEOUT", 0.5)
    table, output = tmp_path / "t.parquet", tmp_path / "m.safetensors"
    MIXED.to_parquet(table)
    start = monotonic()
    result = run("fit", table, "-o", output, "--cluster", "tcp://127.0.0.1:9")
    assert result.exit_code == 2
    assert "no scheduler answers at tcp://127.0.0.1:9" in result.stderr
    assert monotonic() - start < 10
    assert not output.exists()


def test_workers_that_die_again_and_again_are_told_in_plain_words(workers):
    error = distributed.scheduler.KilledWorker("task", SimpleNamespace(address="tcp://a"), 3)
    with (
        pytest.raises(SoftlearnError, match="most likely for lack of memory"),
        open_cluster(address=workers.scheduler_address),
    ):
        raise error


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"address": "tcp://127.0.0.1:9", "workers": 2}, "an existing cluster has its own"),
        ({"workers": 2, "memory": "lots"}, "a size such as 2GB"),
        ({"workers": 2, "memory": "100MB"}, "50 MB for each of 2 workers"),
    ],
)
def test_wrong_wishes_are_refused_before_anything_starts(how, words):
    with pytest.raises(SoftlearnError, match=words), open_cluster(**how):
        pass


@pytest.fixture
def folder(tmp_path):
    """The same rows in one Parquet file, in many, and in many files of text."""
    frame = MIXED.astype({"word": object}).assign(weight=np.arange(len(MIXED)) % 4)
    frame.to_parquet(tmp_path / "whole.parquet", index=False)
    frame.to_csv(tmp_path / "whole.csv", index=False)
    for kind in ("parquet", "csv"):
        (tmp_path / kind).mkdir()
    for number, start in enumerate(range(0, len(frame), 100)):
        part = frame.iloc[start : start + 100]
        part.to_parquet(tmp_path / "parquet" / f"{number}.parquet", index=False, row_group_size=30)
        part.to_csv(tmp_path / "csv" / f"{number}.csv", index=False)
    return tmp_path


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_folder_is_learnt_from_like_one_file(kind, folder, workers):
    whole, parts = folder / "whole.safetensors", folder / "parts.safetensors"
    result = run("fit", folder / f"whole.{kind}", "-o", whole, "--weights", "weight")
    assert result.exit_code == 0, result.output
    result = run(
        *("fit", folder / kind / f"*.{kind}", "-o", parts, "--weights", "weight", "--json"),
        *("--cluster", workers.scheduler_address, "--valid", folder / f"whole.{kind}"),
    )
    assert result.exit_code == 0, result.output
    assert parts.read_bytes() == whole.read_bytes()
    said = json.loads(result.stdout)
    assert (said["rows"], said["partitions"], said["workers"]) == (300, 3, 2)
    assert said["train_log_density"] == pytest.approx(said["held_out_log_density"])
    assert "Dask shows them at" in result.stderr
    assert load(parts).schema.frame == "pyarrow"


def test_a_file_is_learnt_from_by_workers_of_its_own(folder):
    output = folder / "m.safetensors"
    result = run("fit", folder / "whole.parquet", "-o", output, "--workers", 1, "--memory", "1GB")
    assert result.exit_code == 0, result.output
    assert "300 rows of 6 columns in 1 partition(s)" in result.stderr
    assert "1 partition on 1 worker" in result.stdout
    assert output.exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("nothing/*.csv",), "matches no table file"),
        (("parquet", "--hold-out", "0.1"), "--hold-out needs the whole table"),
        (("parquet", "--best"), "--best needs the whole table in memory"),
        (("-", "--workers", "1"), "cannot read standard input"),
    ],
)
def test_what_parts_cannot_give_is_refused_before_workers_start(
    options, words, folder, monkeypatch
):
    monkeypatch.chdir(folder)
    result = run("fit", *options, "-o", "m.safetensors")
    assert result.exit_code == 2
    assert words in result.stderr
    assert "Dask shows" not in result.stderr
    assert not (folder / "m.safetensors").exists()
