"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

ModelPath: TypeAlias = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model that `softlearn fit` has written.")
]
TablePath: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="CSV or TSV (also .gz), Parquet or Feather; `-` is standard input. `fit`, "
        "`score`, `impute`, `classify` and `outliers` also take a folder or a pattern such as "
        "`'sales/*.parquet'`.",
    ),
]
RowsPath: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write the rows to a .csv, .tsv, .csv.gz, .parquet or .feather file; `-` is CSV on "
        "standard output. By default a terminal shows the first rows, and a pipe gets CSV.",
    ),
]
Force: TypeAlias = Annotated[
    bool, typer.Option("--force", "-f", help="Replace an existing output file.")
]
Seed: TypeAlias = Annotated[
    int | None,
    typer.Option("--seed", min=0, help="Random seed: the same number gives the same result."),
]
Given: TypeAlias = Annotated[
    str,
    typer.Option(
        "--given",
        "-g",
        metavar="CONDITIONS",
        help="What is known, such as `age=30..40, sex=F, city in {Rome, Oslo}`.",
    ),
]
Unknown: TypeAlias = Annotated[
    Literal["error", "missing"],
    typer.Option("--unknown", help="Whether an unknown level is an error, or treated as missing."),
]
MissingWords: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--missing-words",
        metavar="WORDS",
        help="Words for missing cells in text files, separated by commas, besides empty cells. "
        "By default NA, N/A, NaN, NULL, ? and similar words.",
    ),
]
Missing: TypeAlias = Annotated[
    Literal["unobserved", "modelled"],
    typer.Option(
        "--missing",
        help="How a missing cell is treated: as unobserved, or as a value of its own with a "
        "probability, so that drawn rows have gaps too.",
    ),
]
Drop: TypeAlias = Annotated[
    list[str],
    typer.Option("--drop", metavar="COLUMN", help="Leave out a column; may be repeated."),
]
SchemaPath: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--schema",
        metavar="FILE",
        help="A TOML file written by `softlearn schema`, with your changes.",
    ),
]
Weights: TypeAlias = Annotated[
    str | None,
    typer.Option("--weights", metavar="COLUMN", help="The column with the weight of each row."),
]
ValidPath: TypeAlias = Annotated[
    str | None,
    typer.Option("--valid", metavar="TABLE", help="Held-out rows to score the model on."),
]
Jobs: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        min=1,
        help="Number of threads, by default one per core; does not change the result.",
    ),
]
