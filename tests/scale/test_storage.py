"""Values stored in files are read back unchanged, and removed once nothing refers to them."""

import gc
import pickle
from types import SimpleNamespace

import numpy as np
import pytest

from softlearn.learn import Block
from softlearn.scale.array_files import read_arrays, write_arrays
from softlearn.scale.partitions import opened
from softlearn.scale.storage import Deferred, InFiles, StoredFile
from softlearn.stats.parts import Share


@pytest.mark.parametrize(
    "value",
    [
        np.arange(12.0).reshape(3, 4),
        np.asfortranarray(np.arange(12).reshape(3, 4)),
        np.arange(100, dtype=np.uint8)[::3],
        [np.zeros((0, 5)), np.zeros(0, np.int32), np.ones(3, np.float32)],
        [np.array([True, False]), [np.array([np.nan, -0.0, np.inf])], []],
        Block(np.arange(6.0).reshape(2, 3), np.ones(3)),
        [Share(np.arange(3, dtype=np.int32), np.ones(3)), Share(np.zeros(0, np.int32), np.ones(0))],
    ],
)
def test_a_value_comes_back_as_it_was(tmp_path, value):
    path = tmp_path / "kept"
    write_arrays(path, value)
    assert_alike(StoredFile(path).read(), value)
    assert list(tmp_path.iterdir()) == [path]


def assert_alike(found, value):
    assert type(found) is type(value)
    if isinstance(value, np.ndarray):
        assert (found.dtype, found.shape) == (value.dtype, value.shape)
        assert found.tobytes() == value.tobytes()
        return
    assert len(found) == len(value)
    for one, other in zip(found, value, strict=True):
        assert_alike(one, other)


@pytest.mark.parametrize("value", [np.array([None]), {"a": np.ones(2)}, (np.ones(2),), 3.0])
def test_nothing_else_is_written(tmp_path, value):
    with pytest.raises(TypeError, match="cannot be stored in a file"):
        write_arrays(tmp_path / "kept", value)
    assert list(tmp_path.iterdir()) == []


def test_what_is_written_to_an_array_stays_with_who_does_it(tmp_path):
    path = tmp_path / "kept"
    write_arrays(path, np.zeros(1000))
    read_arrays(path)[:] = 1.0
    assert not read_arrays(path).any()


def test_arrays_are_read_in_place(tmp_path):
    path = tmp_path / "kept"
    write_arrays(path, [np.arange(3, dtype=np.uint8), np.arange(1000.0)])
    _, numbers = read_arrays(path)
    assert numbers.flags.writeable
    assert numbers.ctypes.data % 64 == 0
    assert not numbers.flags.owndata


def test_a_file_goes_with_who_has_asked_for_it_and_not_with_a_copy(tmp_path):
    storage = InFiles(SimpleNamespace(), tmp_path, 2)
    file = storage._new_file()
    write_arrays(file.path, np.arange(3))
    copy = pickle.loads(pickle.dumps(file))  # as Dask sends it
    assert copy.read().tolist() == [0, 1, 2]
    del copy
    gc.collect()
    assert file.path.exists()
    path = file.path
    del file
    gc.collect()
    assert not path.exists()


def test_what_is_made_later_is_made_of_what_is_kept(tmp_path):
    file = StoredFile(tmp_path / "kept")
    write_arrays(file.path, np.arange(4))
    assert opened(Deferred(np.add, (file, 1))).tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(("n_parts", "size"), [(1, 1), (2, 1), (4, 1), (8, 2), (64, 16)])
def test_every_worker_has_a_few_groups_of_parts(tmp_path, n_parts, size):
    assert InFiles(SimpleNamespace(), tmp_path, 2).group_size(n_parts) == size
