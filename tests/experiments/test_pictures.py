"""The experiments whose rows are pictures or curves."""

import numpy as np
import pytest

from experiments.tiny_cells import row
from softlearn.datasets import Images, Splits
from softlearn.datasets.mnist import N_PIXELS
from softlearn.experiments import depth, mnist, samples
from softlearn.experiments.bitmaps import as_images, as_text
from softlearn.experiments.cell import Cell, row_of
from softlearn.experiments.choices import Choices
from softlearn.experiments.markdown import as_markdown


@pytest.mark.parametrize("n_pixels", [1, 8, 13, N_PIXELS])
def test_images_come_back_from_text(n_pixels):
    images = np.random.default_rng(0).integers(2, size=(5, n_pixels), dtype=np.uint8)
    assert (as_images(as_text(images), n_pixels) == images).all()


def test_digits_are_drawn_and_halves_filled_in(monkeypatch):
    """Two columns of ink, left or right: the upper half tells which, and the lower one obeys."""
    rng = np.random.default_rng(0)
    pictures = np.zeros((120, 28, 28), np.uint8)
    right = rng.random(120) < 0.5
    pictures[right, :, 20:23] = 1
    pictures[~right, :, 5:8] = 1
    flat = pictures.reshape(120, N_PIXELS)
    noisy = flat ^ (rng.random(flat.shape) < 0.01)
    labels = np.zeros(60, np.uint8)
    monkeypatch.setattr(
        mnist, "load_mnist", lambda digit: Images(noisy[:100], labels, flat[100:], labels)
    )
    rows = [row_of(cell, mnist.measure(cell)) for cell in mnist.cells(Choices(only=("mnist-5",)))]
    for one in rows:
        filled = as_images(one["filled"], N_PIXELS).reshape(-1, mnist.FILLINGS, 28, 28)
        shown = as_images(one["shown"], N_PIXELS).reshape(-1, 1, 28, 28)
        assert (filled[:, :, :14] == shown[:, :, :14]).all()
        assert np.abs(filled[:, :, 14:].astype(int) - shown[:, :, 14:]).mean() < 0.1
    document = mnist.document(rows)
    assert [picture.png()[:4] for picture in document.pictures] == [b"\x89PNG"] * 2
    assert "| 5, SoftLearn |" in as_markdown(document)


def test_drawn_rows_are_learnt_from_again(monkeypatch):
    table = (np.random.default_rng(0).random((200, 4)) < 0.3).astype(np.uint8)
    splits = Splits(table[:100], table[100:150], table[150:])
    monkeypatch.setattr(samples, "load_debd", lambda name: splits)
    cell = Cell(dataset="nltcs", system="softlearn", max_rows=90)
    found = samples.measure(cell)
    assert found["synthetic_test"] != found["test"]
    assert found["synthetic_test"] == pytest.approx(found["test"], abs=0.3)
    page = as_markdown(samples.document([row_of(cell, found)]))
    assert f"{found['valid'] - found['synthetic_valid']:.3f} | -5.976 | -6.022 | 0.046 |" in page


def test_the_samples_use_the_clustering_that_the_paper_found_better():
    cells = samples.cells(Choices())
    assert len(cells) == 5 * 2 * 3
    chosen = {(cell.dataset, cell.system): cell.clustering for cell in cells}
    assert chosen["nltcs", "softlearn"] == "kmeans"
    assert chosen["baudio", "softlearn"] == "em"


def test_a_curve_turns_one_knob_only():
    rows = [
        row("dna", valid=0.0, test=-1.0, max_iter=100),
        row("dna", valid=0.0, test=-2.0, max_iter=2),
        row("dna", valid=0.0, test=-4.0, max_iter=2, seed=1),
        row("dna", valid=0.0, test=-9.0, max_iter=2, p=0.1),
        row("dna", clustering="kmeans", valid=0.0, test=-9.0, max_iter=2),
    ]
    assert depth.curve(rows, "dna", "max_iter") == {2: -3.0, 100: -1.0}
    assert depth.curve(rows, "dna", "beta") == {}
    document = depth.document(rows)
    assert document.pictures[0].png().startswith(b"\x89PNG")


def test_every_knob_has_its_default_among_its_positions():
    for knob, positions in depth.KNOBS.items():
        assert getattr(depth.base("dna", knob), knob) in positions
