"""The commands by name, and their modules, which are imported on first use."""

from __future__ import annotations

from importlib import import_module
from typing import Final, TypeAlias

from softlearn.cli.command import Command

Group: TypeAlias = dict[str, str]  # name of the subcommand to its place

_HERE = "softlearn.cli.commands"

# In the order of the help; a place is module:class below the folder of commands.
COMMANDS: Final[dict[str, str | Group]] = {
    "demo": "demo:Demo",
    "fit": "fit:Fit",
    "describe": "describe:Describe",
    "query": "query:Query",
    "score": "score:Score",
    "sample": "sample:Sample",
    "impute": "impute:Impute",
    "classify": "classify:Classify",
    "outliers": "outliers:Outliers",
    "plot": "plot:Plot",
    "explore": "explore:Explore",
    "tune": "tune:Tune",
    "compare": "compare:Compare",
    "schema": "schema:ShowSchema",
    "convert": "convert:Convert",
    "warm-up": "warm_up:WarmUp",
    "datasets": {
        "list": "datasets:ListDatasets",
        "info": "datasets:InfoDataset",
        "fetch": "datasets:FetchDataset",
    },
    "reproduce": {
        "binary": "reproduce:ReproduceBinary",
        "grid": "reproduce:ReproduceGrid",
        "mixed": "reproduce:ReproduceMixed",
        "samples": "reproduce:ReproduceSamples",
        "mnist": "reproduce:ReproduceMnist",
        "badcluster": "reproduce:ReproduceBadcluster",
        "depth": "reproduce:ReproduceDepth",
        "systems": "reproduce:ReproduceSystems",
        "records": "reproduce:ReproduceRecords",
        "report": "reproduce:ReproduceReport",
    },
}
GROUP_HELP: Final = {
    "datasets": "The tables that learners are compared on: list, look, fetch.",
    "reproduce": "The experiments of the paper, with its figures beside ours.",
}


def load_command(place: str) -> type[Command]:
    """Import a command."""
    module, _, name = place.partition(":")
    command: type[Command] = getattr(import_module(f"{_HERE}.{module}"), name)
    return command


def all_places() -> dict[str, str]:
    """Return the place of each command, with subcommands as in ``datasets list``."""
    places: dict[str, str] = {}
    for name, found in COMMANDS.items():
        if isinstance(found, str):
            places[name] = found
        else:
            places |= {f"{name} {inner}": place for inner, place in found.items()}
    return places
