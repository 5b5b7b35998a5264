from experiments.tiny_cells import row
from softlearn.experiments import grid
from softlearn.experiments.choices import Choices
from softlearn.experiments.markdown import as_markdown


def test_the_grid_crosses_significance_and_smoothing():
    em = grid.cells(Choices(only=("nltcs",), clusterings=("em",), systems=("softlearn",)))
    assert len({(cell.p, cell.alpha) for cell in em}) == len(em) == 9


def test_beta_is_crossed_for_soft_k_means_only():
    cells = grid.cells(Choices(only=("nltcs",), betas=(20.0, 40.0)))
    assert len(cells) == len(set(cells)) == 9 * (3 + 2)


def test_the_best_on_valid_is_reported_on_test():
    rows = [
        row("nltcs", "softlearn", p=0.01, valid=-5.0, test=-7.0),
        row("nltcs", "softlearn", p=0.001, valid=-6.0, test=-4.0),
        row("nltcs", "learnspn", "kmeans", alpha=0.01, valid=-6.0, test=-6.0),
    ]
    page = as_markdown(grid.document(rows))
    assert "| -6.000 | -6.000 | k-means, p 0.01, α 0.01 |" in page
    assert "| -7.000 | -5.000 | EM, p 0.01, α 0.1 |" in page
    assert "on 0 of 1 (1 lost, 0 tied)" in page
