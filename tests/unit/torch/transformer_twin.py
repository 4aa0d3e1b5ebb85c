"""The network of the trainer `transformer` in torch.nn. As a program: trains it for some steps on
batches of different widths and writes FOLDER/weights/<tensor name> as they were before,
FOLDER/ids<i> and FOLDER/lengths<i> of each batch, and FOLDER/losses, each the tensor's bytes."""

import pathlib
import sys

import torch
from torch import nn
from torch.nn import functional

WIDEST, ROWS, WIDTHS, STEPS = 64, 4, (24, 40, 9), 12


class Transformer(nn.Module):
    def __init__(self, vocab_size, longest, d_model, nhead, num_layers, dim_feedforward):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.position = nn.Embedding(longest, d_model)
        layer = nn.TransformerEncoderLayer(
            d_model,
            nhead,
            dim_feedforward,
            dropout=0.0,
            activation="gelu",
            batch_first=True,
            norm_first=True,
        )
        self.encoder = nn.TransformerEncoder(
            layer, num_layers, norm=nn.LayerNorm(d_model), enable_nested_tensor=False
        )
        self.classifier = nn.Linear(d_model, vocab_size)

    def forward(self, tokens):
        length = tokens.size(1)
        x = self.embedding(tokens) + self.position(torch.arange(length, device=tokens.device))
        mask = nn.Transformer.generate_square_subsequent_mask(length, tokens.device, x.dtype)
        return self.classifier(self.encoder(x, mask=mask, is_causal=True))


def compute_loss(network, ids, lengths):
    """Cross-entropy of each token's next one, without those that are padding."""
    places = torch.arange(1, ids.size(1), device=ids.device)
    target = ids[:, 1:].masked_fill(places >= lengths[:, None], -100)
    return functional.cross_entropy(network(ids[:, :-1]).flatten(0, 1), target.flatten())


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
    network = Transformer(100, WIDEST - 1, 32, 4, 2, 64)
    for name, tensor in network.state_dict().items():
        # What begins as zeros or ones, and would hide a tensor in the place of another one.
        tensor.add_(0.02 * torch.randn_like(tensor))
        write(folder / "weights" / name, tensor)
    batches = [make_batch(width, 100) for width in WIDTHS]
    for i, (ids, lengths) in enumerate(batches):
        write(folder / f"ids{i}", ids)
        write(folder / f"lengths{i}", lengths)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.05, momentum=0.9, weight_decay=0.01)
    losses = []
    for step in range(STEPS):
        optimizer.zero_grad(set_to_none=True)
        loss = compute_loss(network, *batches[step % len(batches)])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    write(folder / "losses", torch.tensor(losses, dtype=torch.float64))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
