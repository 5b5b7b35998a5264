"""Images of ink and paper as text, so that a row can hold them."""

from __future__ import annotations

from base64 import b64decode, b64encode

import numpy as np

from softlearn.arrays import AnyArray


def as_text(images: AnyArray) -> str:
    """Return images of 0 and 1, (images, pixels), as text of a sixth of a letter a pixel."""
    return b64encode(np.packbits(np.asarray(images, dtype=np.uint8), axis=1).tobytes()).decode()


def as_images(text: str, n_pixels: int) -> AnyArray:
    """Return the images, (images, pixels), that a text holds."""
    packed = np.frombuffer(b64decode(text), dtype=np.uint8).reshape(-1, -(-n_pixels // 8))
    return np.unpackbits(packed, axis=1, count=n_pixels)
