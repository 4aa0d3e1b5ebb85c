"""ResNet-50 as people train it, and a step that the host hands over in a fraction of its time:
functions for `use: python`, and their plain loops. Both in small where there is no GPU."""

import inspect
import sys
import time
from functools import partial

import torch
from figure import DEVICE, ON_GPU, Refused, attempt, loop_seconds, one_line, pinned
from torch import nn
from torch.utils.data import Dataset

NET, SIZE = ("resnet50", 224) if ON_GPU else ("squeezenet1_1", 32)
BATCH, FEW = (256, 32) if ON_GPU else (2, 1)
WIDTH, PRODUCTS = (8192, 7) if ON_GPU else (256, 7)
STEPS, WARM_UP = (40, 20) if ON_GPU else (3, 2)
MEAN, DEVIATION = (123.675, 116.28, 103.53), (58.395, 57.12, 57.375)


class Numbers(Dataset):
    def __init__(self, batches=40, batch=8):
        self.count = batches * batch

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return torch.full((64,), float(index))


class Images(Numbers):
    """Images of uint8 that cost nothing to make, so that the step is what a loop waits for."""

    def __init__(self, batches=400, batch=BATCH):
        super().__init__(batches, batch)
        self.made = make_pixels(64)

    def __getitem__(self, index):
        return self.made[index % 64], index % 1000


def make_pixels(count):
    return torch.randint(0, 256, (count, 3, SIZE, SIZE), dtype=torch.uint8)


def make_optimizer(parameters, kind):
    how = {"foreach": False} if kind == "loop" else {kind: True}
    if how.keys() - inspect.signature(torch.optim.SGD).parameters:
        raise Refused(f"torch {torch.__version__} has no SGD({kind}=True)")
    if kind == "fused" and not ON_GPU:
        raise Refused("fused is tried on a GPU")
    return torch.optim.SGD(parameters, lr=0.01, momentum=0.9, weight_decay=1e-4, **how)


class Training:
    def __init__(self, device, optimizer="foreach", half=True):
        from torchvision import models

        torch.backends.cudnn.benchmark = True
        torch.manual_seed(0)
        self.device, self.half = torch.device(device), half
        self.held, self.graph = None, None
        self.model = getattr(models, NET)(num_classes=1000)
        self.model = self.model.to(self.device, memory_format=torch.channels_last)
        self.optimizer = make_optimizer(self.model.parameters(), optimizer)
        self.criterion = nn.CrossEntropyLoss()
        self.mean, self.deviation = (
            torch.tensor(values, device=self.device).view(1, 3, 1, 1)
            for values in (MEAN, DEVIATION)
        )

    def normalized(self, images):
        if images.dtype != torch.uint8:
            return images
        return (images.float() - self.mean) / self.deviation

    def forward(self, images, labels, cached=True):
        with torch.autocast(
            self.device.type, dtype=torch.bfloat16, enabled=self.half, cache_enabled=cached
        ):
            return self.criterion(self.model(self.normalized(images)), labels)

    def step(self, images, labels, cached=True):
        loss = self.forward(images, labels, cached)
        loss.backward()
        self.optimizer.step()
        return loss


setup = Training
setup_full = partial(Training, half=False)
setup_graph = partial(Training, optimizer="fused")


def on_device(batch, device):
    images, labels = batch
    images = images.to(device, non_blocking=True).contiguous(memory_format=torch.channels_last)
    return images, labels.to(device, non_blocking=True)


def train_step(batch, training):
    images, labels = on_device(batch, training.device)
    training.optimizer.zero_grad(set_to_none=True)
    return training.step(images, labels)


def hold(batch, training):
    """Keeps the first batch on the device, in memory of its own."""
    if training.held is None:
        training.held = [part.clone() for part in on_device(batch, training.device)]
    return training.held


def train_step_held(batch, training):
    return train_step(hold(batch, training), training)


def replay_step(batch, training):
    """The step as one CUDA graph, captured at the first call."""
    images, labels = hold(batch, training)
    if training.graph is None:
        training.graph = captured(training, images, labels)
    training.graph.replay()


def captured(training, images, labels):
    """Returns the graph of forward, backward and optimizer, after 11 steps on a stream of their
    own."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(11):
            train_step((images, labels), training)
    torch.cuda.current_stream().wait_stream(side)
    training.optimizer.zero_grad(set_to_none=True)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        training.step(images, labels, cached=False)
    return graph


class Products:
    def __init__(self, device):
        self.device = torch.device(device)
        one, other = (torch.randn(WIDTH, WIDTH, device=self.device) for _ in range(2))
        self.one, self.other = one.to(torch.bfloat16), (other / WIDTH**0.5).to(torch.bfloat16)
        self.out = torch.empty_like(self.one)


setup_products = Products


def setup_products_anywhere(device):
    """For scenarios that do not name the GPU that the step uses all the same."""
    return Products(DEVICE)


def products_step(batch, products):
    batch = batch.to(products.device, non_blocking=True)
    for _ in range(PRODUCTS):
        torch.mm(products.one, products.other, out=products.out)
    return batch.sum()


def make_batch(count):
    return make_pixels(count), torch.randint(0, 1000, (count,))


def resident_seconds(optimizer="foreach", half=True, count=BATCH, steps=STEPS, graph=False):
    """Returns the step whose batch is on the device already; as one CUDA graph, of forward,
    backward and optimizer, if `graph` is set."""
    training = Training(DEVICE, optimizer, half)
    images, labels = make_batch(count)
    batch = on_device((images.float(), labels), DEVICE)
    replay = captured(training, *batch).replay if graph else partial(train_step, batch, training)
    return loop_seconds(lambda _: replay(), steps, WARM_UP)


def copied_seconds():
    """Returns the step with the copy of its batch from pinned memory."""
    training = Training(DEVICE)
    held = [tuple(map(pinned, make_batch(BATCH))) for _ in range(4)]
    return loop_seconds(lambda number: train_step(held[number % 4], training), STEPS, WARM_UP)


def products_seconds():
    products, batch = Products(DEVICE), pinned(torch.zeros(8, 64))
    return loop_seconds(lambda _: products_step(batch, products), 5 * STEPS, WARM_UP)


FIGURES = {
    "foreach": resident_seconds,
    "fused": partial(resident_seconds, "fused"),
    "loop": partial(resident_seconds, "loop"),
    "graph": partial(resident_seconds, "fused", graph=True),
    "fp32": partial(resident_seconds, half=False, steps=STEPS // 2),
    "few_eager": partial(resident_seconds, count=FEW, steps=2 * STEPS),
    "few_graph": partial(resident_seconds, "fused", count=FEW, steps=2 * STEPS, graph=True),
    "copied": copied_seconds,
    "products": products_seconds,
}


def empty_cache():
    """A figure that has broken the context breaks this too; the rest is tried all the same."""
    try:
        if ON_GPU:
            torch.cuda.empty_cache()
    except Exception as error:
        print(f"FAILED\tcontext\t{one_line(error)}", flush=True)


def main(names):
    begin = time.perf_counter()
    for name in names:
        attempt(name, FIGURES[name])
        empty_cache()
        print(f"# {name} after {time.perf_counter() - begin:.1f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
