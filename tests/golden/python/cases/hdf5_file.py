"""An HDF5 file that each worker opens for itself, since h5py's handles do not survive a fork.

hdf5_file.py FILE      writes it
"""

import sys

import h5py
import numpy
import torch
from torch.utils.data import Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = None
        with h5py.File(path, "r") as file:
            self.length = len(file["images"])

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        if self.file is None:
            self.file = h5py.File(self.path, "r")
        return torch.from_numpy(self.file["images"][index]), int(self.file["labels"][index])


def make_data(file):
    return Rows(file)


if __name__ == "__main__":
    with h5py.File(sys.argv[1], "w") as made:
        made["images"] = numpy.arange(128 * 3 * 16 * 16, dtype="float32").reshape(128, 3, 16, 16)
        made["labels"] = numpy.arange(128)
