"""The steps of benchbench's trainers, as one writes them in PyTorch: torchvision's ResNets, layers
of torch.nn and torch.optim.SGD, unchanged.

scripts/python_figures measures them next to the trainers, which makes setup() and train_step()
as `trainer: {use: python}` calls them, with the settings in TWIN, a JSON object; the test of losses
makes its own."""

import inspect
import json
import os

import torch
from torch import nn
from torch.nn import functional

IGNORED = -100  # what cross_entropy leaves out


class Mlp(nn.Module):
    """Takes the channels last, as batches come: flattening copies nothing."""

    def __init__(self, size, hidden_size, hidden_layers, classes):
        super().__init__()
        layers, width = [], 3 * size * size
        for _ in range(hidden_layers):
            layers += [nn.Linear(width, hidden_size), nn.ReLU()]
            width = hidden_size
        self.layers = nn.Sequential(*layers, nn.Linear(width, classes))

    def forward(self, images):
        return self.layers(images.permute(0, 2, 3, 1).flatten(1))


# torch 1.13 knows the mask alone.
known = inspect.signature(nn.TransformerEncoder.forward).parameters
CAUSAL = {"is_causal": True} if "is_causal" in known else {}


class LanguageModel(nn.Module):
    def __init__(self, vocab_size, d_model, nhead, num_layers, dim_feedforward, longest):
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
        length = tokens.shape[1]
        x = self.embedding(tokens) + self.position(torch.arange(length, device=tokens.device))
        mask = nn.Transformer.generate_square_subsequent_mask(length, device=tokens.device)
        return self.classifier(self.encoder(x, mask=mask, **CAUSAL)).flatten(0, 1)


def next_tokens(tokens, lengths):
    """(what the model sees, what it is to say): the token that follows, unless it is padding."""
    places = torch.arange(1, tokens.shape[1], device=tokens.device)
    target = tokens[:, 1:].masked_fill(places >= lengths[:, None], IGNORED)
    return tokens[:, :-1], target.flatten()


def make_network(name, **sizes):
    if name == "mlp":
        return Mlp(**sizes)
    if name == "transformer":
        return LanguageModel(**sizes)
    from torchvision import models

    return getattr(models, name)(num_classes=sizes["classes"])


class Twin:
    """A network with its optimizer. `optimizer`: loop, foreach or fused, torch's SGD each."""

    def __init__(
        self,
        network,
        learning_rate=0.01,
        momentum=0.9,
        weight_decay=0.0001,
        precision="fp32",
        optimizer="loop",
        memory_format="contiguous",
    ):
        formats = {"contiguous": torch.contiguous_format, "channels_last": torch.channels_last}
        self.format = formats[memory_format]
        self.network = network.to(memory_format=self.format)
        self.mixed = precision == "bf16-mixed"
        self.optimizer = torch.optim.SGD(
            self.network.parameters(),
            lr=learning_rate,
            momentum=momentum,
            weight_decay=weight_decay,
            foreach=optimizer == "foreach",
            **({"fused": True} if optimizer == "fused" else {}),  # torch 1.13 has none
        )

    def loss(self, batch):
        data, target = batch
        if isinstance(self.network, LanguageModel):
            data, target = next_tokens(data.long(), target)
        else:
            data = data.contiguous(memory_format=self.format)
        device = data.device.type
        with torch.autocast(device, dtype=torch.bfloat16, enabled=self.mixed):
            return functional.cross_entropy(self.network(data), target)

    def step(self, batch):
        loss = self.loss(batch)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.detach()


def setup(device):
    wanted = json.loads(os.environ["TWIN"])
    network = make_network(wanted["network"], **wanted["sizes"]).to(device)
    return Twin(network, **wanted["settings"])


def train_step(batch, state):
    if isinstance(batch, dict):
        batch = batch.values()
    return state.step(batch)
