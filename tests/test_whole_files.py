"""Files appear whole or not at all, whoever writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from architecture.source_tree import FILES, name_of
from softlearn.whole_files import whole_file, write_whole


def test_text_and_bytes_are_written_and_replaced(tmp_path):
    path = tmp_path / "new" / "file.txt"
    write_whole(path, "é")
    assert path.read_bytes() == "é".encode()
    write_whole(path, b"\x00")
    assert path.read_bytes() == b"\x00"
    assert list(path.parent.iterdir()) == [path]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "file.txt"
    path.write_text("old", encoding="utf-8")

    def fail_halfway():
        with whole_file(path) as temporary:
            temporary.write_text("half", encoding="utf-8")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_halfway()
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_written_changes_nothing(tmp_path):
    path = tmp_path / "file.txt"
    with whole_file(path):
        pass
    assert not path.exists()


def test_two_writers_do_not_share_a_file(tmp_path):
    path = tmp_path / "file.txt"
    with whole_file(path) as one, whole_file(path) as two:
        assert one != two
        assert one.parent == two.parent == path.parent


@pytest.mark.parametrize("word", ["import secrets", "write_bytes(", "write_text(", "tempfile"])
def test_there_is_one_writer(word):
    others = [file for file in FILES if name_of(file) != "whole_files.py"]
    assert [
        name_of(file) for file in others if word in Path(file).read_text(encoding="utf-8")
    ] == []
