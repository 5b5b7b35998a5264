"""Handwritten digits: 70,000 images of 28 × 28 pixels, as rows of 784 columns."""

from __future__ import annotations

from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from softlearn.arrays import AnyArray
from softlearn.datasets.download import download
from softlearn.datasets.files import DataFile, Source, content_of, other_checksum, unpacked
from softlearn.datasets.published import Published, contents
from softlearn.errors import SoftlearnError

MIRRORS = (
    "https://ossci-datasets.s3.amazonaws.com/mnist",
    "https://storage.googleapis.com/cvdf-datasets/mnist",
)
N_PIXELS: Final = 28 * 28
INK: Final = 128  # a pixel of at least half the full 255 is ink

# For each of the four parts its file, its rows and the SHA-256 of the unpacked file.
_CONTENTS: Final = contents("mnist.json")
_IMAGE_HEAD: Final = 16  # bytes that say how many images there are, and of what size
_LABEL_HEAD: Final = 8


class Images(NamedTuple):
    """Images as rows of pixels, line by line from the top left, and the digits that they show."""

    train: AnyArray  # uint8, (rows, 784)
    train_labels: AnyArray  # uint8, (rows,)
    test: AnyArray
    test_labels: AnyArray


def load_mnist(binary: bool = True, digit: int | None = None) -> Images:
    """Return the MNIST images of handwritten digits.

    The files are looked for in the folder that the environment variable ``SOFTLEARN_DATA`` names,
    as ``mnist/train-images-idx3-ubyte.gz`` and so on, then in the user's cache folder, and else are
    downloaded. They are verified each time.

    Parameters
    ----------
    binary : bool
        Whether a pixel is 1 (ink, at least half of the full grey value) or 0; else it is the grey
        value, 0 to 255.
    digit : int, optional
        Return only the images that show this digit, 0 to 9.

    Returns
    -------
    Images
        ``train``, ``train_labels``, ``test`` and ``test_labels``.
    """
    if digit is not None and (isinstance(digit, bool) or digit not in range(10)):
        raise SoftlearnError(f"digit must be a whole number from 0 to 9, or None, not {digit!r}")
    parts: list[AnyArray] = []
    files = published("mnist").files
    for images_file, labels_file in (files[:2], files[2:]):
        grey = _bytes_after(_IMAGE_HEAD, images_file).reshape(-1, N_PIXELS)
        labels = _bytes_after(_LABEL_HEAD, labels_file)
        if digit is not None:
            grey, labels = grey[labels == digit], labels[labels == digit]
        parts += [(grey >= INK).view(np.uint8) if binary else grey.copy(), labels.copy()]
    return Images(*parts)


def published(name: str) -> Published:
    """Return what is known of the images; the files are in the order of ``Images``."""
    return Published(
        name=name,
        kind="image",
        about="handwritten digits, 28 × 28 pixels",
        rows={split: _CONTENTS[f"{split}_images"]["rows"] for split in ("train", "test")},
        columns=N_PIXELS,
        source=MIRRORS[0],
        licence="CC BY-SA 3.0",
        citation="LeCun, Cortes and Burges: The MNIST database of handwritten digits, 1998",
        files=tuple(map(_file, _CONTENTS.values())),
    )


def _file(about: dict[str, Any]) -> DataFile:
    addresses = [f"{mirror}/{about['file']}.gz" for mirror in MIRRORS]
    return DataFile(
        path=f"mnist/{about['file']}.gz",
        sha256=about["sha256"],
        sources=tuple(Source(address, partial(_unpack, address)) for address in addresses),
        difference=partial(_difference, about=about),
    )


def _unpack(address: str) -> bytes:
    return unpacked(download(address), address)


def _bytes_after(head: int, file: DataFile) -> AnyArray:
    return np.frombuffer(content_of(file), dtype=np.uint8, offset=head)


def _difference(content: bytes, *, about: dict[str, Any]) -> str:
    is_images = "images" in about["file"]
    size = _IMAGE_HEAD + about["rows"] * N_PIXELS if is_images else _LABEL_HEAD + about["rows"]
    if len(content) != size:
        return f"holds {len(content)} bytes instead of {size}"
    return other_checksum(content, about["sha256"])
