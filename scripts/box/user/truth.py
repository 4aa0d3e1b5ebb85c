"""Measures with torch each thing of the device that benchbench measures too."""

import time

import torch
from figure import (
    DEVICE,
    ON_GPU,
    Refused,
    attempt,
    loop_seconds,
    median_seconds,
    pinned,
    wait_for_device,
)

SIZES = {"38": 38_535_168, "154": 154_140_672, "805": 805_306_368} if ON_GPU else {"38": 1 << 16}
MIB = (1 << 20) if ON_GPU else (1 << 12)
READ = (1 << 30) if ON_GPU else (1 << 12)  # floats
WIDTH = 8192 if ON_GPU else 32
TINY = 1000 if ON_GPU else 10


def copies(name, size):
    host = torch.ones(size, dtype=torch.uint8)
    fixed, there = pinned(torch.ones(size, dtype=torch.uint8)), host.to(DEVICE)

    def rate(target, source):
        return size / median_seconds(lambda: target.copy_(source, non_blocking=True))

    attempt(f"to_device_pinned_{name}", lambda: rate(there, fixed))
    attempt(f"to_device_pageable_{name}", lambda: rate(there, host))
    attempt(f"from_device_pinned_{name}", lambda: rate(fixed, there))
    attempt(f"from_device_pageable_{name}", lambda: rate(host, there))


def call_seconds(source):
    """Returns the host's time of one copy call, with nothing queued before it."""
    there, times = torch.empty(MIB, dtype=torch.uint8, device=DEVICE), []
    for _ in range(200):
        begin = time.perf_counter()
        there.copy_(source, non_blocking=True)
        times.append(time.perf_counter() - begin)
        wait_for_device()
    return sorted(times)[len(times) // 2]


def memory():
    data = torch.empty(READ, dtype=torch.float32, device=DEVICE).normal_()
    other, part = torch.empty_like(data), data[: READ // 5]
    size = 4 * READ
    attempt("read_rate", lambda: size / median_seconds(lambda: torch.sum(data)))
    attempt("read_rate_805", lambda: size / 5 / median_seconds(lambda: torch.sum(part)))
    attempt("copy_rate", lambda: 2 * size / median_seconds(lambda: other.copy_(data)))


def tiny_kernels():
    value = torch.zeros(1, device=DEVICE)

    def run():
        for _ in range(TINY):
            value.add_(1)

    attempt("kernel_eager", lambda: median_seconds(run, 5) / TINY)
    attempt("kernel_in_graph", lambda: median_seconds(graph_of(run), 5) / TINY)
    attempt("queue", lambda: queue_length(value))


def graph_of(run):
    if not ON_GPU:
        raise Refused("a CPU has no CUDA graphs")
    run()
    wait_for_device()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run()
    return graph.replay


def queue_length(value):
    """Returns how many launches fit behind a busy kernel before the host waits."""
    if not ON_GPU:
        raise Refused("a CPU has no queue")
    torch.cuda._sleep(int(2e9))  # about a second
    number, begin = 0, time.perf_counter()
    while number < 20000:
        before = time.perf_counter()
        value.add_(1)
        now = time.perf_counter()
        if now - before > 0.05 or now - begin > 1.5:
            break
        number += 1
    wait_for_device()
    return number


def product_rate():
    one, other = (torch.randn(WIDTH, WIDTH, device=DEVICE).to(torch.bfloat16) for _ in range(2))
    out = torch.empty_like(one)
    seconds = loop_seconds(lambda _: torch.mm(one, other, out=out), 20, 3)
    return 2 * WIDTH**3 / seconds


def main():
    for name, size in SIZES.items():
        copies(name, size)
    attempt("call_pinned", lambda: call_seconds(pinned(torch.ones(MIB, dtype=torch.uint8))))
    attempt("call_pageable", lambda: call_seconds(torch.ones(MIB, dtype=torch.uint8)))
    memory()
    tiny_kernels()
    attempt("product_rate", product_rate)


if __name__ == "__main__":
    main()
