"""Several calls in flight at once, their results as they come, and an error only after all results.

Calls wait for a server, so they run in threads, at most `width` of them; one that ends makes room for the
next when the consumer draws again. After a failure nothing new begins, what is under way is waited for and
handed over, and only then the error is raised. So a failure loses no result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def fan_out(call: Callable[[int], T], items: Sequence[int], width: int) -> Iterator[tuple[int, T]]:
    """(item, `call(item)`) of all items, which differ, in the order in which the calls end.

    Raises the error of the first item that failed. A consumer that stops drawing before the end waits for
    the calls under way and does not see their results.
    """
    waiting = iter(items)
    failures: dict[int, BaseException] = {}
    with ThreadPoolExecutor(width, thread_name_prefix="fan-out") as pool:
        running: dict[Future[T], int] = {pool.submit(call, item): item for item in islice(waiting, width)}
        while running:
            done = wait(running, return_when=FIRST_COMPLETED).done
            ended = [(running.pop(future), future) for future in [*running] if future in done]
            failures |= {item: error for item, future in ended if (error := future.exception()) is not None}
            if not failures:
                running |= {pool.submit(call, item): item for item in islice(waiting, len(ended))}
            yield from ((item, future.result()) for item, future in ended if item not in failures)
    for item in items:
        if item in failures:
            raise failures[item]
