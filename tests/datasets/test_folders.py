"""Files are looked for where the user says, or else where the system keeps such things."""

from __future__ import annotations

from pathlib import Path

import pytest

from softlearn import SoftlearnError
from softlearn.datasets.folders import _usual_cache, cache_folder, data_folder


def test_without_the_variable_there_is_no_data_folder():
    assert data_folder() is None


def test_the_variable_names_the_data_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("SOFTLEARN_DATA", str(tmp_path))
    assert data_folder() == tmp_path


def test_a_folder_that_is_not_there_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("SOFTLEARN_DATA", str(tmp_path / "gone"))
    with pytest.raises(SoftlearnError, match="gone', which is not a folder"):
        data_folder()


def test_the_cache_folder_can_be_chosen(monkeypatch):
    monkeypatch.setenv("SOFTLEARN_CACHE", "~/somewhere")
    assert cache_folder() == Path.home() / "somewhere"


def test_the_cache_follows_the_standard_of_linux(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert _usual_cache("linux") == tmp_path / "softlearn"


@pytest.mark.parametrize("base", ["", "not/absolute"])
def test_without_a_useful_base_the_cache_is_below_home(monkeypatch, base):
    monkeypatch.setenv("XDG_CACHE_HOME", base)
    assert _usual_cache("linux") == Path.home() / ".cache" / "softlearn"


def test_other_systems_have_their_own_places(monkeypatch, tmp_path):
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    assert _usual_cache("win32") == tmp_path / "softlearn" / "Cache"
    assert _usual_cache("darwin") == Path.home() / "Library" / "Caches" / "softlearn"
