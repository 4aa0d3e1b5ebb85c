"""A Trainer of Transformers that keeps a checkpoint each 5,000 steps."""

import time

import torch
from samples import Samples
from transformers import Trainer, TrainingArguments


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 1)

    def forward(self, x=None, labels=None):
        time.sleep(0.004)
        return {"loss": ((self.layer(x) - labels) ** 2).mean()}


if __name__ == "__main__":
    arguments = TrainingArguments(
        output_dir="out",
        per_device_train_batch_size=4,
        dataloader_num_workers=2,
        num_train_epochs=30,
        use_cpu=True,
        report_to=[],
        save_steps=5_000,
        logging_steps=100,
    )
    Trainer(Model(), arguments, train_dataset=Samples()).train()
