"""A Lightning Trainer with a validation and a checkpoint at the end of each epoch."""

import argparse
import tempfile
import time

import lightning
import torch
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset


class Signals(Dataset):
    """Noisy sine waves; the class is the frequency."""

    def __init__(self, count, seed, length=512, classes=8):
        make = torch.Generator().manual_seed(seed)
        self.labels = torch.randint(classes, (count,), generator=make)
        self.phases = torch.rand(count, 1, generator=make) * 6.28
        self.time = torch.linspace(0, 6.28, length)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        wave = torch.sin(self.time * (self.labels[index] + 1) + self.phases[index])
        return (wave + 0.3 * torch.randn(len(wave)))[None], self.labels[index]


class Classifier(lightning.LightningModule):
    def __init__(self, width=64):
        super().__init__()
        layers = [nn.Conv1d(1, width, 9, 2, 4), nn.ReLU()]
        for _ in range(3):
            layers += [nn.Conv1d(width, width, 9, 1, 4), nn.BatchNorm1d(width), nn.ReLU()]
        self.net = nn.Sequential(
            *layers, nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(width, 8)
        )

    def training_step(self, batch, number):
        x, y = batch
        loss = F.cross_entropy(self.net(x), y)
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, number):
        x, y = batch
        self.log("accuracy", (self.net(x).argmax(1) == y).float().mean(), prog_bar=True)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), 1e-3)


class Speed(Callback):
    def on_train_epoch_start(self, trainer, module):
        self.begin, self.samples = time.perf_counter(), 0

    def on_train_batch_end(self, trainer, module, outputs, batch, number):
        self.samples += len(batch[0])

    def on_train_epoch_end(self, trainer, module):
        print(f"\n{self.samples / (time.perf_counter() - self.begin):.1f} samples/s", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=150)
    args = parser.parse_args()
    lightning.seed_everything(0)
    settings = {"batch_size": 32, "num_workers": 1, "persistent_workers": True}
    train = DataLoader(Signals(6400, 0), shuffle=True, **settings)
    valid = DataLoader(Signals(160, 1), **settings)
    with tempfile.TemporaryDirectory() as folder:
        trainer = lightning.Trainer(
            max_epochs=args.epochs,
            accelerator="cpu",
            default_root_dir=folder,
            callbacks=[Speed(), ModelCheckpoint(folder, monitor="accuracy", mode="max")],
            logger=False,
        )
        trainer.fit(Classifier(), train, valid)


if __name__ == "__main__":
    main()
