"""A Trainer of Transformers: a small BERT made from its configuration, on sequences of random words
that are padded to the longest one of a batch."""

import argparse
import os
import tempfile
import time

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch  # noqa: E402
from torch.utils.data import Dataset  # noqa: E402
from transformers import (  # noqa: E402
    BertConfig,
    BertForSequenceClassification,
    Trainer,
    TrainerCallback,
    TrainingArguments,
    set_seed,
)

WORDS = 5000


class Sentences(Dataset):
    def __init__(self, count):
        make = torch.Generator().manual_seed(0)
        lengths = torch.randint(16, 65, (count,), generator=make).tolist()
        self.tokens = [torch.randint(1, WORDS, (one,), generator=make) for one in lengths]

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, index):
        tokens = self.tokens[index]
        return {"input_ids": tokens, "label": int(tokens[0] > WORDS // 2)}


def collate(rows):
    tokens = torch.nn.utils.rnn.pad_sequence([row["input_ids"] for row in rows], True)
    labels = torch.tensor([row["label"] for row in rows])
    return {"input_ids": tokens, "attention_mask": (tokens > 0).long(), "labels": labels}


class Speed(TrainerCallback):
    def on_train_begin(self, args, state, control, **rest):
        self.begin = time.perf_counter()

    def on_log(self, args, state, control, **rest):
        done = state.global_step * args.train_batch_size
        print(f"{done / (time.perf_counter() - self.begin):.1f} samples/s", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=float, default=50)
    args = parser.parse_args()
    set_seed(0)
    sizes = {"hidden_size": 128, "num_hidden_layers": 3, "intermediate_size": 512}
    model = BertForSequenceClassification(
        BertConfig(vocab_size=WORDS, num_attention_heads=4, num_labels=2, **sizes)
    )
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            output_dir=folder,
            num_train_epochs=args.epochs,
            per_device_train_batch_size=16,
            dataloader_num_workers=1,
            dataloader_persistent_workers=True,
            learning_rate=3e-4,
            logging_steps=20,
            save_strategy="no",
            report_to=[],
            use_cpu=True,
        )
        Trainer(
            model,
            arguments,
            train_dataset=Sentences(16000),
            data_collator=collate,
            callbacks=[Speed()],
        ).train()


if __name__ == "__main__":
    main()
