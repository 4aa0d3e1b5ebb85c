"""Training scripts for the tests of benchbench_dl. Steps and samples that sleep write how long it
was in truth: a busy machine sleeps longer."""

SLEEPS = """
    import os, time, torch
    from torch.utils.data import DataLoader, Dataset

    truth = os.open("truth", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def sleep(kind, seconds):
        begun = time.monotonic_ns()
        time.sleep(seconds)
        os.write(truth, "{{}} {{}} {{}}\\n".format(kind, begun, time.monotonic_ns()).encode())

    class Slow(Dataset):
        def __len__(self):
            return 100000

        def __getitem__(self, index):
            sleep("L", {sample})
            return torch.tensor([float(index)])

    train_loader = DataLoader(Slow(), num_workers={workers}, prefetch_factor={prefetch})
    for batch in train_loader:
        sleep("T", {step})
"""

# `{loader}`: keywords of the DataLoader; `{step}`: what else a step does
PLAIN = """
    import sys, time, torch
    from torch.utils.data import DataLoader, Dataset

    class Samples(Dataset):
        def __len__(self):
            return {length}

        def __getitem__(self, index):
            return torch.ones(8), torch.ones(1)

    def main():
        model = torch.nn.Linear(8, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
        train_loader = DataLoader(Samples(), batch_size=4, {loader})
        for epoch in range(1000):
            for number, (x, y) in enumerate(train_loader):
                loss = ((model(x) - y) ** 2).mean()
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
                time.sleep(0.002)
                {step}

    if __name__ == "__main__":
        main()
"""

# PLAIN returns SAMPLE. On a virtual clock no time passes while only the loader is asked: put SLOW
# in its place there.
SAMPLE = "return torch.ones(8), torch.ones(1)"
SLOW = "time.sleep(0.0005); " + SAMPLE


def sleeps(sample, step, workers, prefetch):
    text = SLEEPS.format(sample=sample, step=step, workers=workers, prefetch=prefetch)
    return text if workers else text.replace(", prefetch_factor=None", "")


def plain(loader="num_workers=1", step="pass", length=100000):
    return PLAIN.format(loader=loader, step=step, length=length)


def truth(text, kind, segments):
    """Mean seconds of the sleeps of this kind within the segments."""
    spent = [
        (int(begin), int(end)) for of, begin, end in map(str.split, text.splitlines()) if of == kind
    ]
    inside = [
        (end - begin) / 1e9
        for begin, end in spent
        if any(first <= end and begin <= last for first, last in segments)
    ]
    return sum(inside) / len(inside)
