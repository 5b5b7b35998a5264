"""A fit that was killed goes on where it was, and ends with the same circuit."""

import errno
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from learn.test_large import GROWN, SEED, same_bits, scaled_table
from softlearn import LearnSPN, SoftLearn
from softlearn.errors import SoftlearnError
from softlearn.learn import Block, Engine, checkpoint
from softlearn.learn import grow as grow_module
from softlearn.learn.growing import grown
from softlearn.learn.large import LargeGrower

VALUES, SCHEMA = scaled_table(600)


class KilledError(Exception):
    pass


@pytest.fixture(autouse=True)
def _every_piece_is_written_at_once(monkeypatch):
    monkeypatch.setattr(checkpoint, "_SECONDS_BETWEEN_FILES", 0.0)
    monkeypatch.setattr(grow_module, "_SMALL", 400)  # cells, so that there are many pieces


@pytest.fixture
def counted(monkeypatch):
    """How often slices were split, and passes over the rows of large ones led to a decision."""
    counts = Counter()

    def counting(owner, name):
        plain = getattr(owner, name)

        def method(self, *args):
            counts[name] += 1
            return plain(self, *args)

        monkeypatch.setattr(owner, name, method)

    counting(grow_module.Grower, "split")
    counting(LargeGrower, "_decide")
    return counts


def killed_at(n):
    """Somebody who looks on and kills at the n-th look."""
    looks = iter(range(n))

    def watch(progress):
        if next(looks, None) is None:
            raise KilledError

    return watch


def learnt(config, *, watch=lambda progress: None, n_jobs=1, seed=SEED, weights=None, **engine):
    weights = np.ones(VALUES.shape[1]) if weights is None else weights
    engine = Engine(n_jobs=n_jobs, watch=watch, **engine)
    return grown([Block(VALUES, weights)], SCHEMA, config, seed, engine)


@pytest.mark.parametrize("name", GROWN)
@pytest.mark.parametrize("bucket_rows", [64, 100_000])
@pytest.mark.parametrize("looks", [0, 3, 12])
def test_a_killed_fit_is_resumed_to_the_same_circuit(name, bucket_rows, looks, tmp_path, counted):
    config = replace(GROWN[name], bucket_rows=bucket_rows, significance=0.3)
    expected = learnt(config)
    whole = Counter(counted)
    assert whole.total() > 12
    resumed = replace(config, checkpoint=tmp_path / "kept")
    with pytest.raises(KilledError):
        learnt(resumed, watch=killed_at(looks))
    assert (tmp_path / "kept" / "fit.json").exists()
    counted.clear()
    assert same_bits(expected, learnt(resumed, n_jobs=2))
    assert counted.total() <= whole.total()
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_finished_subtrees_are_not_grown_again(share, tmp_path, counted):
    config = replace(GROWN["softlearn"], significance=0.3)
    depth = learnt(config).depth
    in_all = counted["split"]
    kept = replace(config, checkpoint=tmp_path)
    with pytest.raises(KilledError):
        learnt(kept, watch=killed_at(int(share * in_all)))
    learnt(kept)
    repeated = counted["split"] - 2 * in_all
    # Only the ancestors of what was open are split again: one path, for what is open is worked on
    # from the last to the first.
    assert 0 < repeated < depth
    assert depth < in_all / 3


def test_decisions_about_large_slices_are_not_made_again(tmp_path, counted):
    config = replace(GROWN["softlearn"], bucket_rows=64, checkpoint=tmp_path / "kept")
    with pytest.raises(KilledError):
        learnt(config, watch=killed_at(4))
    made = counted["_decide"]
    assert made > 2
    learnt(replace(config, checkpoint=None))
    alone = counted["_decide"] - made
    counted.clear()
    learnt(config)
    assert counted["_decide"] == alone - made


def test_what_was_killed_here_is_resumed_by_an_estimator(tmp_path):
    table = np.random.default_rng(0).normal(size=(300, 3)).cumsum(axis=1)
    for learner in (SoftLearn, LearnSPN):
        expected = learner(random_state=0).fit(table)
        again = learner(random_state=0, checkpoint=str(tmp_path / "kept")).fit(table)
        assert same_bits(expected.model_.circuit, again.model_.circuit)
        assert not (tmp_path / "kept").exists()


def test_another_fit_in_the_same_folder_is_refused(tmp_path):
    config = replace(GROWN["softlearn"], checkpoint=tmp_path)
    with pytest.raises(KilledError):
        learnt(config, watch=killed_at(3))
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    others = {
        "cells was .* and is": {"weights": np.full(600, 2.0)},
        "random_state was 0 and is 1 now": {"seed": np.random.SeedSequence(1)},
    }
    for words, how in others.items():
        with pytest.raises(SoftlearnError, match=words):
            learnt(config, **how)
    with pytest.raises(SoftlearnError, match=r"min_rows was 0 and is 9 now.*delete this one"):
        learnt(replace(config, min_rows=9))
    about = json.loads((tmp_path / "fit.json").read_text())
    (tmp_path / "fit.json").write_text(json.dumps(about | {"softlearn": "0.0.1"}))
    with pytest.raises(SoftlearnError, match=r"softlearn was 0\.0\.1 and is"):
        learnt(config)
    (tmp_path / "fit.json").write_bytes(before["fit.json"])
    assert before == {file.name: file.read_bytes() for file in tmp_path.iterdir()}


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    config = replace(GROWN["softlearn"], checkpoint=tmp_path)
    with pytest.raises(SoftlearnError, match=r"holds other files, such as letter\.txt"):
        learnt(config)
    with pytest.raises(SoftlearnError, match="is a file"):
        learnt(replace(config, checkpoint=tmp_path / "letter.txt"))
    assert [file.name for file in tmp_path.iterdir()] == ["letter.txt"]


@pytest.mark.parametrize("damage", [lambda b: b[:-1], lambda b: b[:-1] + b"?", lambda b: b""])
def test_a_damaged_file_is_named(damage, tmp_path):
    config = replace(GROWN["softlearn"], checkpoint=tmp_path)
    with pytest.raises(KilledError):
        learnt(config, watch=killed_at(3))
    file = sorted(tmp_path.glob("grown-*"))[0]
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(SoftlearnError, match=f"{file.name} is damaged .*delete it"):
        learnt(config)
    file.unlink()
    assert same_bits(learnt(config), learnt(GROWN["softlearn"]))


def test_a_full_disk_leaves_nothing_half_written(tmp_path, monkeypatch):
    config = replace(GROWN["softlearn"], checkpoint=tmp_path)
    plain, left = Path.write_bytes, [3]

    def full(path, content):
        left[0] -= 1
        if left[0] < 0:
            plain(path, content[: len(content) // 2])
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        return plain(path, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(SoftlearnError, match="No space left on device; make room and repeat"):
        learnt(config)
    names = sorted(file.name for file in tmp_path.iterdir())
    assert len(names) == 3
    assert all(name == "fit.json" or name.startswith("grown-") for name in names)
    monkeypatch.setattr(Path, "write_bytes", plain)
    assert same_bits(learnt(config), learnt(GROWN["softlearn"]))


def test_an_interrupt_that_keeps_the_circuit_keeps_the_checkpoint_too(tmp_path):
    config = replace(GROWN["softlearn"], checkpoint=tmp_path / "kept", significance=0.3)
    looks = iter(range(5))

    def interrupt(progress):
        if next(looks, None) == 4:
            raise KeyboardInterrupt

    partial = learnt(config, watch=interrupt, keep_partial=True)
    assert (tmp_path / "kept").exists()
    whole = learnt(config)
    assert partial.kind.size < whole.kind.size
    assert same_bits(whole, learnt(replace(config, checkpoint=None)))


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (SoftLearn(checkpoint="kept"), "needs a random_state"),
        (SoftLearn(checkpoint="kept", random_state=0, time_budget=1.0), "cannot be combined"),
        (
            LearnSPN(checkpoint="kept", random_state=0, variant="gens"),
            "only with variant='correia'",
        ),
        (SoftLearn(checkpoint=3), "the path of a folder, or None"),
    ],
)
def test_what_cannot_be_resumed_is_refused(learner, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SoftlearnError, match=words):
        learner.fit(np.random.default_rng(0).integers(0, 2, (50, 3)))
    assert not (tmp_path / "kept").exists()
