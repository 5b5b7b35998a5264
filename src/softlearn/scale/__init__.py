"""Tables that no machine holds: learnt from and asked about part by part, on Dask."""

from softlearn.scale.answers import Wanted, answer, like_the_table, numbers, sample
from softlearn.scale.cluster import Cluster, open_cluster
from softlearn.scale.learning import learn
from softlearn.scale.partitions import Partitions, first_rows, partitions_of
from softlearn.scale.reading import read_partitions
from softlearn.scale.rows import (
    encoded,
    mean_score,
    schema_over,
    summary_over,
    with_training_weights,
)

__all__ = [
    "Cluster",
    "Partitions",
    "Wanted",
    "answer",
    "encoded",
    "first_rows",
    "learn",
    "like_the_table",
    "mean_score",
    "numbers",
    "open_cluster",
    "partitions_of",
    "read_partitions",
    "sample",
    "schema_over",
    "summary_over",
    "with_training_weights",
]
