"""The figures that the paper prints, to stand beside ours."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

from softlearn.experiments.cell import Clustering, System

# Systems that are quoted as published; their figures are of the test split.
QUOTED: Final = {
    "learnspn_gens": "LearnSPN (Gens)",
    "cnet": "CNET",
    "learnpsdd": "LearnPSDD",
    "hclt": "HCLT",
    "einet": "EiNet",
    "ratspn": "RAT-SPN",
}
FIRST_TABLE: Final = ("learnspn_gens", "cnet")  # those that the paper's first table has


class Detail(NamedTuple):
    """One entry of the paper's detail tables: nine runs of a system with its best choices."""

    ll: float
    sd: float
    p: float
    alpha: float


class Record(NamedTuple):
    """The best figures on the test split of a binary set that others have printed."""

    tractable: float
    system: str  # that reached it
    likelihood_only: float  # of models that answer no other query
    neural: float
    decimals: int  # printed with the tractable figure


@cache
def records() -> dict[str, Record]:
    """Return the best published figures by data set; the file names where they were printed."""
    return {
        row["dataset"]: Record(
            float(row["tractable"]),
            row["system"],
            float(row["likelihood_only"]),
            float(row["neural"]),
            len(row["tractable"].partition(".")[2]),
        )
        for row in _rows("records.csv")
    }


@cache
def detail() -> dict[tuple[str, System, Clustering], Detail]:
    """Return the detail tables by data set, system and clustering.

    The figures of the binary sets are of the validation split: ``binary`` shows why.
    """
    found: dict[tuple[str, System, Clustering], Detail] = {}
    for row in _rows("detail.csv"):
        key: tuple[str, System, Clustering] = (row["dataset"], row["algorithm"], row["clustering"])  # type: ignore[assignment]
        found[key] = Detail(*(float(row[name]) for name in Detail._fields))
    return found


@cache
def comparison() -> dict[str, dict[str, float]]:
    """Return the comparison table: log-likelihood by data set and system.

    ``softlearn`` and ``learnspn_correia`` are the paper's own runs, all others are quoted there.
    """
    return _by_dataset("comparison.csv")


@cache
def mixed() -> dict[str, dict[str, float]]:
    """Return the table of mixed sets: ``learnspn``, ``softlearn`` and ``early_softlearn``."""
    return _by_dataset("mixed.csv")


@cache
def sample_quality() -> dict[str, dict[str, float]]:
    """Return the table of synthetic rows, such as ``softlearn_original`` by data set."""
    return _by_dataset("sample_quality.csv")


def better_of_two(dataset: str, system: System) -> float:
    """Return the better of the paper's EM and k-means figures, which its first table prints."""
    clusterings: tuple[Clustering, ...] = ("em", "kmeans")
    return max(detail()[dataset, system, one].ll for one in clusterings)


def better_clustering(dataset: str, system: System) -> Clustering:
    """Return the clustering with which the paper's system did better on a data set."""
    clusterings: tuple[Clustering, ...] = ("em", "kmeans")
    return max(clusterings, key=lambda one: detail()[dataset, system, one].ll)


def _by_dataset(file: str) -> dict[str, dict[str, float]]:
    return {
        row.pop("dataset"): {name: float(text) for name, text in row.items()} for row in _rows(file)
    }


def _rows(file: str) -> list[dict[str, str]]:
    text = files("softlearn.experiments.published").joinpath(file).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
