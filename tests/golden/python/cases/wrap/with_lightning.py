"""A Lightning Trainer with its bar and its checkpoints; loaders of a DataModule, which are in no
variable."""

import time

import lightning
import torch
from samples import Samples
from torch.utils.data import DataLoader


class Data(lightning.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(Samples(), batch_size=4, num_workers=2, shuffle=True)

    def val_dataloader(self):
        return DataLoader(Samples(40), batch_size=4, num_workers=1)


class Module(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 1)

    def loss(self, batch):
        return ((self.layer(batch["x"]) - batch["labels"]) ** 2).mean()

    def training_step(self, batch, number):
        time.sleep(0.004)
        return self.loss(batch)

    def validation_step(self, batch, number):
        self.log("loss", self.loss(batch))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=1e-6)


if __name__ == "__main__":
    lightning.Trainer(max_epochs=3, accelerator="cpu").fit(Module(), Data())
