"""Scripts of frameworks' loops, for test_wrap_frameworks."""

DATA = """
    import logging, time, torch, warnings
    from torch.utils.data import DataLoader, Dataset

    class Samples(Dataset):
        def __len__(self):
            return 4 * {batches}

        def __getitem__(self, index):
            return {sample}
"""

LIGHTNING = (
    DATA
    + """
    import lightning
    logging.getLogger("lightning.pytorch").setLevel(logging.CRITICAL)
    logging.getLogger("lightning.pytorch.utilities.rank_zero").setLevel(logging.CRITICAL)

    class Module(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(8, 1)

        def training_step(self, batch, number):
            time.sleep(0.002)
            return ((self.layer(batch[0]) - batch[1]) ** 2).mean()

        def validation_step(self, batch, number):
            self.log("loss", ((self.layer(batch[0]) - batch[1]) ** 2).mean())

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=1e-6)

    if __name__ == "__main__":
        trainer = lightning.Trainer(max_epochs=3, accelerator="cpu", logger=False,
                                    enable_progress_bar={bar}, enable_model_summary=False)
        trainer.fit(Module(), DataLoader(Samples(), batch_size=4, num_workers=2, shuffle=True),
                    DataLoader(Samples(), batch_size=4, num_workers=1))
"""
)

TRANSFORMERS = (
    DATA
    + """
    from transformers import Trainer, TrainingArguments

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(8, 1)

        def forward(self, x=None, labels=None):
            time.sleep(0.002)
            return {{"loss": ((self.layer(x) - labels) ** 2).mean()}}

    if __name__ == "__main__":
        arguments = TrainingArguments(output_dir="out", per_device_train_batch_size=4,
                                      dataloader_num_workers=2, num_train_epochs=3, use_cpu=True,
                                      report_to=[], disable_tqdm=True, save_steps={save},
                                      logging_steps=10**6,
                                      gradient_accumulation_steps={accumulate})
        Trainer(Model(), arguments, train_dataset=Samples()).train()
"""
)

ACCELERATE = (
    DATA
    + """
    from accelerate import Accelerator

    if __name__ == "__main__":
        accelerator = Accelerator(cpu=True)
        model = torch.nn.Linear(8, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
        model, optimizer, train_loader = accelerator.prepare(
            model, optimizer, DataLoader(Samples(), batch_size=4, num_workers=2, shuffle=True))
        for epoch in range(3):
            for x, y in train_loader:
                accelerator.backward(((model(x) - y) ** 2).mean())
                optimizer.step()
                optimizer.zero_grad()
                time.sleep(0.002)
"""
)

STATEFUL = (
    DATA
    + """
    from torchdata.stateful_dataloader import StatefulDataLoader

    if __name__ == "__main__":
        model = torch.nn.Linear(8, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
        train_loader = StatefulDataLoader(Samples(), batch_size=4, num_workers=2, shuffle=True)
        for epoch in range(3):
            for x, y in train_loader:
                ((model(x) - y) ** 2).mean().backward()
                optimizer.step()
                optimizer.zero_grad()
                time.sleep(0.002)
"""
)

PAIR = "torch.ones(8), torch.ones(1)"
NAMED = '{"x": torch.ones(8), "labels": torch.ones(1)}'

# Before any of these scripts: dies at the step KILLED_AT, and says how many there were.
COUNTS = """
    import os, signal

    steps = 0

    def count():
        global steps
        steps += 1
        with open("steps", "w") as file:
            file.write(str(steps))
        if steps == int(os.environ.get("KILLED_AT", -1)):
            os.kill(os.getpid(), signal.SIGKILL)
"""


def that_counts(script):
    return COUNTS + script.replace("time.sleep(0.002)", "time.sleep(0.002); count()")
