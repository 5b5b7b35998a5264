"""Dask workers to learn on: processes on this machine, or an existing cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from logging import ERROR
from pathlib import Path
from tempfile import gettempdir
from typing import Any, NamedTuple, TypeVar

from softlearn.errors import MissingDependencyError, SoftlearnError

Given = TypeVar("Given")
Found = TypeVar("Found")

SCHEDULER_TIMEOUT = 5.0  # seconds to wait for the scheduler to respond
WORKER_TIMEOUT = 20.0  # seconds to wait for the first worker
_BEFORE_ANY_ROW = 350_000_000  # bytes that Python and compiled code take in a worker
_FEWEST_BYTES = 600_000_000  # the least memory of a worker
# Shares of a worker's memory for rows. Dask's own settings are shares of the whole limit, most of
# which code may take.
_TARGET = 0.3  # for stored data that waits; the rest is for running tasks
_SPILL = 0.6  # beyond this, all stored data goes to disk
_PLENTY = 4_000_000_000  # bytes from which a worker need not return freed memory
# With Dask's settings a worker returns freed memory at once and requests it again: with 300,000
# rows that took 3.8 of 9.2 CPU seconds.
_KEEP_FREED_MEMORY = {
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 2**29,
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": 2**25,
}
_FOLDERS: dict[str, Path] = {}  # folders shared by the workers of a client, by the client's id
# With Dask's own settings, two idle workers take 2.5 CPU seconds in 20; with these, 0.6.
_POLL_SELDOM = {
    "distributed.worker.profile.interval": "1s",
    "distributed.worker.profile.cycle": "10s",
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.tick.limit": "30s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.scheduler.work-stealing-interval": "1s",
}
PARTS_IN_MEMORY = 12  # that fit into the memory for rows: parts are read, encoded, copied, merged


@dataclass(frozen=True)
class Cluster:
    """Workers that are ready to use.

    Attributes
    ----------
    client
        The Dask client, which is the current one.
    n_workers
        The number of workers.
    worker_memory
        The memory limit of each worker in bytes; None if there is none.
    """

    client: Any
    n_workers: int
    worker_memory: int | None

    @property
    def dashboard(self) -> str:
        """The address of Dask's dashboard, which needs bokeh."""
        link = str(self.client.dashboard_link)
        return link if find_spec("bokeh") else f"{link} (after pip install bokeh)"

    def each(
        self, function: Callable[[Given], Found], given: Sequence[Given]
    ) -> Iterator[tuple[Given, Found]]:
        """Apply a function to each value and yield values and results as workers finish them."""
        from distributed import as_completed  # noqa: PLC0415 - slow to load

        running = {self.client.submit(function, one, pure=False): one for one in given}
        for future in as_completed(list(running)):
            yield running.pop(future), future.result()

    def bytes_moved(self) -> int:
        """Return how many bytes the workers have sent so far, to each other and to the client."""
        return bytes_moved(self.client)


@contextmanager
def open_cluster(
    workers: int | None = None, address: str | None = None, memory: str | None = None
) -> Iterator[Cluster]:
    """Yield a cluster, on which all Dask work runs inside the ``with`` block.

    Parameters
    ----------
    workers : int, optional
        The number of processes on this machine; by default one per core.
    address : str, optional
        The scheduler of an existing cluster, such as ``tcp://host:8786``.
    memory : str, optional
        The total memory of the processes on this machine, such as ``2GB``; by default all of it.
    """
    distributed = _distributed()
    if address is not None:
        if workers is not None or memory is not None:
            raise SoftlearnError(
                "workers and memory apply to processes on this machine; an existing cluster has "
                "its own, so leave them out"
            )
        with _client_of(distributed, address) as client, _lost_workers_explained(distributed):
            yield _checked(client, address)
        return
    n_workers, limit = _workers_within(memory, workers)
    with (
        _with_settings(limit),
        _new_folder() as folder,
        distributed.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            memory_limit=limit or "auto",
            dashboard_address="127.0.0.1:0",
            silence_logs=ERROR,
            preload=["softlearn.scale.interrupts"],
        ) as cluster,
        distributed.Client(cluster) as client,
        _lost_workers_explained(distributed),
        _known_folder(client, folder),
    ):
        yield Cluster(client, n_workers, limit)


@contextmanager
def _new_folder() -> Iterator[Path]:
    """Yield a temporary folder managed by Dask, which removes those of processes that died."""
    import dask  # noqa: PLC0415
    from distributed.diskutils import WorkSpace  # noqa: PLC0415 - slow to load

    base = Path(dask.config.get("temporary-directory") or gettempdir())
    folder = WorkSpace(str(base / "dask-scratch-space")).new_work_dir(prefix="softlearn-")
    try:
        yield Path(folder.dir_path)
    finally:
        folder.release()


@contextmanager
def _known_folder(client: Any, folder: Path) -> Iterator[None]:  # noqa: ANN401
    _FOLDERS[client.id] = folder
    try:
        yield
    finally:
        del _FOLDERS[client.id]


def folder_of(client: Any) -> Path | None:  # noqa: ANN401
    """Return the folder that all workers share; None if they are not known to share one."""
    return _FOLDERS.get(client.id)


@contextmanager
def _lost_workers_explained(distributed: Any) -> Iterator[None]:  # noqa: ANN401
    """Explain errors about a part of the table at which workers died repeatedly."""
    try:
        yield
    except distributed.scheduler.KilledWorker as error:
        raise SoftlearnError(
            "workers died repeatedly at the same part of the table, most likely for lack of "
            f"memory; give them more, or use smaller partitions ({error})"
        ) from None


def _distributed() -> Any:  # noqa: ANN401 - a module without types
    try:
        import distributed  # noqa: PLC0415 - slow to load, and only few need it
    except ImportError:
        raise MissingDependencyError(
            'workers need Dask\'s scheduler: pip install "softlearn[dask]"'
        ) from None
    return distributed


@contextmanager
def _client_of(distributed: Any, address: str) -> Iterator[Any]:  # noqa: ANN401
    try:
        client = distributed.Client(address, timeout=SCHEDULER_TIMEOUT)
    except (OSError, ValueError) as error:
        raise SoftlearnError(
            f"no scheduler answers at {address} within {SCHEDULER_TIMEOUT:g} seconds; start one "
            f"with `dask scheduler`, or correct the address ({error})"
        ) from None
    with client:
        yield client


def _checked(client: Any, address: str) -> Cluster:  # noqa: ANN401
    """Return the cluster, or raise an error if it has no workers or other versions."""
    try:
        client.wait_for_workers(1, timeout=WORKER_TIMEOUT)
    except OSError:
        raise SoftlearnError(
            f"the scheduler at {address} has no workers; start some with `dask worker {address}`"
        ) from None
    # A lambda, because it is sent as code: a worker may have no softlearn to import it from.
    check_versions(client.run(lambda: __import__("softlearn").__version__, on_error="return"))
    about = client.scheduler_info(n_workers=-1)["workers"].values()
    return Cluster(client, len(about), min(int(one["memory_limit"]) for one in about) or None)


def current_client() -> Any:  # noqa: ANN401 - dask has no types
    """Return the current Dask client, or None."""
    try:
        import distributed  # noqa: PLC0415 - slow to load, and only few need it

        return distributed.get_client()
    except (ImportError, ValueError):
        return None


def is_worker() -> bool:
    """Return whether this code runs in a task on a worker."""
    try:
        from distributed import get_worker  # noqa: PLC0415 - slow to load, and only few need it

        get_worker()
    except (ImportError, ValueError):
        return False
    return True


def check_versions(found: dict[str, str | Exception]) -> None:
    """Raise an error unless all workers have this version of softlearn.

    Parameters
    ----------
    found
        The version on each worker, or the error of importing it.
    """
    from softlearn import __version__ as mine  # noqa: PLC0415 - known once the package is loaded

    for worker, version in found.items():
        if version != mine:
            has = f"softlearn {version}" if isinstance(version, str) else f"none ({version})"
            raise SoftlearnError(
                f"the worker {worker} has {has}, but this process has softlearn {mine}; install "
                "the same version everywhere, and restart the workers"
            )


def _n_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _workers_within(memory: str | None, workers: int | None) -> tuple[int, int | None]:
    """Return the number of processes to start, and the memory limit of each in bytes."""
    n_workers = workers or _n_cores()
    if memory is None:
        return n_workers, None
    from dask.utils import parse_bytes  # noqa: PLC0415

    try:
        total = int(parse_bytes(memory))
    except ValueError:
        raise SoftlearnError(
            f"memory must be a size such as 2GB or 500MiB, not {memory!r}"
        ) from None
    if workers is None:
        n_workers = max(1, min(n_workers, total // _FEWEST_BYTES))
    limit = total // n_workers
    if limit < _FEWEST_BYTES:
        raise SoftlearnError(
            f"{memory} leave {limit / 1e6:.0f} MB for each of {n_workers} workers, but a worker "
            f"takes {_BEFORE_ANY_ROW / 1e6:.0f} MB before any row; give at least "
            f"{_FEWEST_BYTES / 1e6:.0f} MB each, or use fewer workers"
        )
    return n_workers, limit


def _with_settings(limit: int | None) -> Any:  # noqa: ANN401 - Dask's own
    """Return a context with the Dask settings for starting workers of this memory limit."""
    import dask  # noqa: PLC0415

    settings: dict[str, object] = {**_POLL_SELDOM, **_KEEP_FREED_MEMORY}
    if limit is not None:
        room = limit - _BEFORE_ANY_ROW
        memory = "distributed.worker.memory"
        settings = {
            f"{memory}.target": _TARGET * room / limit,
            f"{memory}.spill": (_BEFORE_ANY_ROW + _SPILL * room) / limit,
            f"{memory}.pause": False,  # with one thread, no other task could free memory meanwhile
            f"{memory}.terminate": 1.0,
            **_POLL_SELDOM,
            **(_KEEP_FREED_MEMORY if limit > _PLENTY else {}),
        }
    return dask.config.set(settings)


class WorkerRoom(NamedTuple):
    """The threads and memory of workers.

    Attributes
    ----------
    n_threads
        The number of threads of all workers.
    bytes_per_thread
        The memory for rows per thread, of the worker with the least; None if there is no limit.
    """

    n_threads: int
    bytes_per_thread: int | None


def room_on(client: Any) -> WorkerRoom:  # noqa: ANN401
    """Return the threads and memory of a client's workers."""
    about = client.scheduler_info(n_workers=-1)["workers"].values()
    n_threads = sum(int(one["nthreads"]) for one in about)
    limits = [
        room_for_rows(int(one["memory_limit"])) // int(one["nthreads"])
        for one in about
        if one["memory_limit"]
    ]
    return WorkerRoom(max(n_threads, 1), min(limits, default=None))


def room_for_rows(limit: int) -> int:
    """Return how many bytes of a worker's memory limit are left for rows."""
    return max(limit - _BEFORE_ANY_ROW, _FEWEST_BYTES - _BEFORE_ANY_ROW)


def bytes_moved(client: Any) -> int:  # noqa: ANN401
    """Return how many bytes all workers have sent so far, ignoring workers that just died."""
    sent = client.run(_bytes_sent, on_error="ignore")
    return sum(int(one) for one in sent.values())


def _bytes_sent(dask_worker: Any) -> int:  # noqa: ANN401 - as Dask calls it
    return int(dask_worker.transfer_outgoing_bytes_total)
