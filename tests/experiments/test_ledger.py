import gzip

import pytest

from experiments.tiny_cells import row
from softlearn.errors import SoftlearnError
from softlearn.experiments.ledger import Ledger

ROWS = [row(name, valid=-1.5, test=-1 / 3) for name in ("first", "zweite · ²", "third")]


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "new folder" / "rows.jsonl")


def test_rows_come_back_to_the_last_digit(ledger):
    for one in ROWS:
        ledger.append(one)
    assert ledger.rows() == ROWS


def test_a_ledger_that_is_not_there_has_no_rows(ledger):
    assert ledger.rows() == []
    assert not ledger.path.exists()


def test_wherever_writing_is_cut_off_only_the_last_line_is_lost(ledger):
    """All places: whatever was ended by its line feed stays, the rest is written again."""
    for one in ROWS[:2]:
        ledger.append(one)
    content = ledger.path.read_bytes()
    for length in range(len(content) + 1):
        ledger.path.write_bytes(content[:length])
        kept = ROWS[: content[:length].count(b"\n")]
        assert ledger.rows() == kept
        ledger.append(ROWS[2])
        assert ledger.rows() == [*kept, ROWS[2]]
        assert ledger.path.read_bytes().count(b"\n") == len(kept) + 1


def test_of_two_rows_of_a_cell_the_first_counts(ledger):
    ledger.append(ROWS[0])
    ledger.append(ROWS[0] | {"test": -9.0})
    assert ledger.rows() == ROWS[:1]


@pytest.mark.parametrize("line", ["{", "[]", '{"dataset": "x"}', '"text"'])
def test_a_line_that_is_no_row_is_named(ledger, line):
    ledger.append(ROWS[0])
    with ledger.path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    with pytest.raises(SoftlearnError, match=r"rows\.jsonl, line 2: not the row of a cell"):
        ledger.rows()


def test_rows_of_earlier_runs_may_be_compressed(ledger):
    ledger.append(ROWS[0])
    ledger.append(ROWS[1])
    ledger.archive.write_bytes(gzip.compress(ledger.path.read_bytes()))
    ledger.path.unlink()
    assert ledger.rows() == ROWS[:2]
    ledger.append(ROWS[2])
    ledger.append(ROWS[1] | {"test": -9.0})
    assert ledger.rows() == ROWS


def test_a_damaged_archive_is_named(ledger):
    ledger.append(ROWS[0])
    ledger.archive.write_bytes(gzip.compress(ledger.path.read_bytes())[:-9])
    with pytest.raises(SoftlearnError, match=r"rows\.jsonl\.gz cannot be unpacked"):
        ledger.rows()
