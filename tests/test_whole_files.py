"""Files appear whole or not at all, whoever writes them."""

from __future__ import annotations

import os
import time
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


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_only_ordinary_files_are_replaced(tmp_path):
    pipe, folder = tmp_path / "pipe", tmp_path / "folder"
    os.mkfifo(pipe)
    folder.mkdir()
    for target in (pipe, folder):  # no device: a test that fails must not replace one
        with pytest.raises(OSError, match="not an ordinary file"):
            write_whole(target, b"1")
    assert pipe.is_fifo()
    assert folder.is_dir()
    assert sorted(tmp_path.iterdir()) == [folder, pipe]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_a_file_keeps_its_permissions(tmp_path):
    path = tmp_path / "file.txt"
    write_whole(path, b"1")
    path.chmod(0o600)
    write_whole(path, b"2")
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_a_killed_writer_left_is_removed_by_a_later_one(tmp_path):
    stale, fresh = (tmp_path / f".softlearn-{letter * 16}.tmp" for letter in "ab")
    foreign = tmp_path / ".softlearn-notes.tmp"
    for file in (stale, fresh, foreign):
        file.touch()
    two_days_ago = time.time() - 2 * 86_400
    os.utime(stale, (two_days_ago, two_days_ago))
    os.utime(foreign, (two_days_ago, two_days_ago))
    write_whole(tmp_path / "file.txt", b"1")
    assert not stale.exists()
    assert fresh.exists()  # somebody may still be writing it
    assert foreign.exists()


@pytest.mark.parametrize(
    "word", ["secrets.token_hex", "write_bytes(", "write_text(", "TemporaryFile", "mkstemp"]
)
def test_there_is_one_writer(word):
    others = [file for file in FILES if name_of(file) != "whole_files.py"]
    assert [
        name_of(file) for file in others if word in Path(file).read_text(encoding="utf-8")
    ] == []
