"""Digits come as rows of pixels, black and white or grey, all of them or one by one."""

from __future__ import annotations

import gzip
import hashlib

import numpy as np
import pytest

from softlearn import SoftlearnError
from softlearn.datasets import load_mnist, mnist

LABELS = {"train": [5, 0, 9, 5], "test": [9, 5]}


def parts():
    """Four small files in the form of the real ones: a head, then one byte a pixel or label."""
    rng = np.random.default_rng(0)
    found = {}
    for split, labels in LABELS.items():
        grey = rng.integers(0, 256, (len(labels), 784), dtype=np.uint8)
        grey[0, :4] = [0, 127, 128, 255]
        size = len(labels).to_bytes(4, "big")
        head = (2051).to_bytes(4, "big") + size + (28).to_bytes(4, "big") * 2
        found[f"{split}_images"] = head + grey.tobytes()
        found[f"{split}_labels"] = (2049).to_bytes(4, "big") + size + bytes(labels)
    return found


PARTS = parts()


@pytest.fixture
def small(monkeypatch):
    """The real set in miniature, which nobody has yet."""
    for name, content in PARTS.items():
        about = dict(mnist._CONTENTS[name])
        about["rows"] = len(LABELS[name.split("_")[0]])
        about["sha256"] = hashlib.sha256(content).hexdigest()
        monkeypatch.setitem(mnist._CONTENTS, name, about)


@pytest.fixture
def folder(small, tmp_path, monkeypatch):
    """A data folder with the small set."""
    monkeypatch.setenv("SOFTLEARN_DATA", str(tmp_path))
    (tmp_path / "mnist").mkdir()
    for name, content in PARTS.items():
        path = tmp_path / "mnist" / f"{mnist._CONTENTS[name]['file']}.gz"
        path.write_bytes(gzip.compress(content))
    return tmp_path / "mnist"


@pytest.mark.usefixtures("folder")
def test_pixels_of_at_least_half_are_ink():
    images = load_mnist()
    assert images.train[0, :4].tolist() == [0, 0, 1, 1]
    assert images.train.dtype == np.uint8
    assert set(np.unique(images.train)) == {0, 1}


@pytest.mark.usefixtures("folder")
def test_grey_values_are_as_published():
    images = load_mnist(binary=False)
    assert images.train.tobytes() == PARTS["train_images"][16:]
    assert images.test.tobytes() == PARTS["test_images"][16:]
    assert (load_mnist().test == (images.test > 127)).all()


@pytest.mark.usefixtures("folder")
def test_every_image_has_its_label():
    images = load_mnist()
    assert images.train_labels.tolist() == LABELS["train"]
    assert images.test_labels.tolist() == LABELS["test"]
    assert (images.train.shape, images.test.shape) == ((4, 784), (2, 784))


@pytest.mark.usefixtures("folder")
def test_one_digit_can_be_chosen():
    images, fives = load_mnist(), load_mnist(digit=5)
    assert fives.train_labels.tolist() == [5, 5]
    assert (fives.train == images.train[[0, 3]]).all()
    assert (fives.test == images.test[[1]]).all()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("binary", [True, False])
def test_arrays_may_be_changed(binary):
    assert all(array.flags.writeable for array in load_mnist(binary=binary))


@pytest.mark.parametrize("digit", [10, -1, "5", True, 2.5])
def test_what_is_not_a_digit_is_refused(digit):
    with pytest.raises(SoftlearnError, match="digit must be a whole number from 0 to 9"):
        load_mnist(digit=digit)


def test_a_file_of_another_size_is_noticed(folder):
    path = folder / "t10k-labels-idx1-ubyte.gz"
    path.write_bytes(gzip.compress(PARTS["train_labels"]))
    with pytest.raises(SoftlearnError, match="holds 12 bytes instead of 10"):
        load_mnist()


def test_other_pixels_are_noticed(folder):
    path = folder / "t10k-images-idx3-ubyte.gz"
    path.write_bytes(gzip.compress(PARTS["test_images"][:-1] + b"\0"))
    with pytest.raises(SoftlearnError, match=r"t10k-images-idx3-ubyte\.gz has the checksum"):
        load_mnist()


@pytest.mark.usefixtures("small")
def test_a_second_mirror_helps(server, cache, monkeypatch):
    monkeypatch.setattr(mnist, "MIRRORS", (f"{server.address}/one", f"{server.address}/two"))
    for name, content in PARTS.items():
        server.give(f"/two/{mnist._CONTENTS[name]['file']}.gz", gzip.compress(content))
    server.give("/one/train-images-idx3-ubyte.gz", b"not gzip")
    assert load_mnist().test_labels.tolist() == LABELS["test"]
    assert len(list((cache / "mnist").iterdir())) == 4


@pytest.mark.usefixtures("real_data")
def test_real_digits_are_complete():
    images = load_mnist(digit=9)
    assert (len(images.train), len(images.test)) == (5949, 1009)
    assert 0.1 < images.train.mean() < 0.15
