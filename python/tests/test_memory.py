"""The limit of memory is that of the machine, or of a control group."""

import os
import sys
import tempfile
import unittest
from unittest import mock

from child import FOLDER

sys.path.insert(0, FOLDER)
from benchbench_dl import memory  # noqa: E402


class Groups(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="benchbench-python-")
        self.addCleanup(self.folder.cleanup)

    def write(self, path, text):
        path = os.path.join(self.folder.name, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        return path

    def free(self, own="0::/a/b\n"):
        return memory.free_of_groups(os.path.join(self.folder.name, "top"), self.write("own", own))

    def group(self, path, limit, used, stat=None):
        self.write(path + "/memory.max", f"{limit}\n")
        self.write(path + "/memory.current", f"{used}\n")
        if stat:
            self.write(path + "/memory.stat", stat)

    def test_every_group_with_a_limit(self):
        self.group("top/a/b", 1000, 300)
        self.group("top/a", "max", 700)
        self.group("top", 900, 800)
        self.assertEqual([700, 100], self.free())

    def test_cached_files_are_given_up(self):
        self.group("top/a/b", 1000, 990, "anon 10\ninactive_file 500\nactive_file 200\nshmem 90\n")
        self.assertEqual([710], self.free())

    def test_a_container_sees_its_own_group_at_the_top(self):
        self.group("top", 1000, 400)
        self.assertEqual([600], self.free("0::/\n"))
        self.assertEqual([600], self.free("12:cpu:/x\n0::/../other\n"))

    def test_without_groups(self):
        self.assertEqual([], self.free())
        self.assertEqual([], self.free(""))

    def test_the_smaller_counts(self):
        with mock.patch.object(memory, "free_of_groups", lambda: [7, 1 << 60]):
            self.assertEqual(7, memory.free_memory())
        with mock.patch.object(memory, "free_of_groups", lambda: []):
            self.assertGreater(memory.free_memory(), 1 << 20)


if __name__ == "__main__":
    unittest.main()
