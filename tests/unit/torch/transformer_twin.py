"""Trains the network of the trainer `transformer` in torch.nn for some steps on batches of
different widths and writes FOLDER/weights/<tensor name> as they were before, FOLDER/ids<i> and
FOLDER/lengths<i> of each batch, and FOLDER/losses, each the tensor's bytes."""

import pathlib
import sys

import torch

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts" / "figures"))
from twins import LanguageModel, Twin  # noqa: E402

WIDEST, ROWS, WIDTHS, STEPS = 64, 4, (24, 40, 9), 12


def make_batch(width, vocab_size):
    lengths = torch.randint(2, width + 1, (ROWS,), dtype=torch.int32)
    ids = torch.randint(vocab_size, (ROWS, width))
    return ids.masked_fill(torch.arange(width) >= lengths[:, None], 0), lengths


def write(path, tensor):
    path.write_bytes(tensor.detach().contiguous().numpy().tobytes())


def main(folder):
    torch.set_num_threads(1)  # more wait for each other longer than they work
    torch.manual_seed(3)
    (folder / "weights").mkdir(parents=True)
    network = LanguageModel(100, 32, 4, 2, 64, WIDEST - 1)
    for name, tensor in network.state_dict().items():
        # Tensors that begin as zeros or ones would hide one in the place of another.
        tensor.add_(0.02 * torch.randn_like(tensor))
        write(folder / "weights" / name, tensor)
    batches = [make_batch(width, 100) for width in WIDTHS]
    for i, (ids, lengths) in enumerate(batches):
        write(folder / f"ids{i}", ids)
        write(folder / f"lengths{i}", lengths)
    twin = Twin(network, learning_rate=0.05, weight_decay=0.01)
    losses = [twin.step(batches[step % len(batches)]).item() for step in range(STEPS)]
    write(folder / "losses", torch.tensor(losses, dtype=torch.float64))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
