"""Ways out of what users meet with PyTorch's workers, by what the exception says."""

import re

_HINTS = (
    (
        r"[Cc]an't (?:pickle|get local)|[Cc]annot pickle|PicklingError|attribute lookup .* failed",
        "with spawn and forkserver the data set, collate_fn and worker_init_fn are pickled: put "
        "functions at the top level of "
        "the file instead of a lambda or a function inside a function, or set "
        "multiprocessing_context: fork",
    ),
    (
        r"SIGBUS|Bus error|out of shared memory|No space left on device",
        "workers hand batches over in /dev/shm, which is full: start the container with a larger "
        "one (--shm-size=8g), or use "
        "fewer workers or a smaller prefetch_factor",
    ),
    (
        r"received \d+ items of ancdata|Too many open files",
        "too many open files: raise the limit (ulimit -n 65536), or call "
        "torch.multiprocessing.set_sharing_strategy('file_system')",
    ),
    (
        r"killed by (?:signal: Killed|SIGKILL)",
        "a worker was killed; where the system ran out of memory, use fewer workers or a smaller "
        "prefetch_factor",
    ),
    (
        r"exited unexpectedly|ended with exit status",
        "a worker ended by itself: look for sys.exit or os._exit in the data set",
    ),
    (r"bootstrapping phase", 'put what starts workers below if __name__ == "__main__":'),
)


def hint_for(text):
    for pattern, hint in _HINTS:
        if re.search(pattern, text):
            return hint
    return None
