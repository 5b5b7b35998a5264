"""Learn from a table in many files and query it, partition by partition, with Dask."""

from pathlib import Path

import dask.dataframe as dd
import matplotlib as mpl

from softlearn import SoftLearn
from softlearn.datasets import worlds
from softlearn.show import plots

mpl.use("agg")  # draw to files, open no windows

# Eight files of a table, drawn from a known world one after the other: the whole is never here.
folder = Path("households")
folder.mkdir()
truth = worlds.households()
for number in range(8):
    part = truth.sample(500, random_state=number)
    part.to_parquet(folder / f"{number}.parquet", index=False)

# Partition by partition: first what the columns are, then the rows.
table = dd.read_parquet(folder)
learnt = SoftLearn(random_state=0).fit(table)
print(f"{table.npartitions} partitions\n{learnt.model_}")

# Nothing is scored before it is asked for, and then where the rows are.
scores = learnt.score_samples(table)
print(f"\n{scores}")
print(f"mean log-density: {scores.mean().compute():.3f}, of the truth {truth.score(table):.3f}")

# Odd rows, without ever holding the table.
odd = table.assign(log_density=scores).nsmallest(3, "log_density").compute()
print(f"\nthe oddest rows\n{odd.round(1).to_string(index=False)}")

# As many rows as wanted, drawn when they are written; the same for any number of workers.
drawn = learnt.sample(20_000, random_state=0, partition_rows=5000)
drawn.to_parquet("drawn")
print(f"\n{len(list(Path('drawn').glob('*.parquet')))} files of drawn rows")
print(dd.read_parquet("drawn").groupby("place").size().compute().to_string())
plots.conditional(learnt.model_, "income", "age").figure.savefig("income.png")
