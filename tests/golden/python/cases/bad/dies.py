"""Workers that die, hang or leave; and a main process that does."""

import os
import signal
import subprocess
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset


def die(how):
    if how == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "hangs":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(3600)
    if how == "exits":
        sys.exit(3)
    if how == "exits_hard":
        os._exit(4)


class Dies(Dataset):
    def __init__(self, how, at):
        self.how = how
        self.at = at

    def __len__(self):
        return 4096

    def __getitem__(self, index):
        if index >= self.at:
            die(self.how)
        time.sleep(0.001)
        return torch.zeros(4)


def make_data(how, workers=2, at=64):
    return DataLoader(Dies(how, at), batch_size=4, num_workers=workers)


def make_with_server():
    """Starts a program of its own and forgets it, in a session of its own."""
    subprocess.Popen(["sleep", "3600"], start_new_session=True)
    return DataLoader(Dies("lives", 64), batch_size=4, num_workers=1)
