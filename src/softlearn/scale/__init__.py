"""Learning from and querying tables larger than memory, partition by partition, on Dask."""

from softlearn.scale.answers import Wanted, answer, like_the_table, numbers, sample
from softlearn.scale.cluster import Cluster, open_cluster
from softlearn.scale.learning import learn
from softlearn.scale.partitions import (
    Partitions,
    first_rows,
    partitions_of,
    parts_beside,
    without_column,
)
from softlearn.scale.reading import read_partitions
from softlearn.scale.rows import (
    compute,
    encoded,
    mapped,
    mean_score,
    schema_over,
    summary_over,
    with_training_weights,
)
from softlearn.scale.searching import search_workers

__all__ = [
    "Cluster",
    "Partitions",
    "Wanted",
    "answer",
    "compute",
    "encoded",
    "first_rows",
    "learn",
    "like_the_table",
    "mapped",
    "mean_score",
    "numbers",
    "open_cluster",
    "partitions_of",
    "parts_beside",
    "read_partitions",
    "sample",
    "schema_over",
    "search_workers",
    "summary_over",
    "with_training_weights",
    "without_column",
]
