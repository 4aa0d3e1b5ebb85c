"""`serve` and `take`: batches through the memory file, in both directions."""

import json
import mmap
import os
import signal
import struct
import unittest

from child import ChildTest, wait_until

DATA = """
    import collections, numpy, torch
    from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info

    class Images(Dataset):
        def __init__(self, size):
            self.size = size
        def __len__(self):
            return self.size
        def __getitem__(self, index):
            return {"image": torch.full((2, 3), float(index)), "meta": (torch.tensor(index), True)}

    def make_data(size=10):
        return Images(size)

    class Shards(IterableDataset):
        def __iter__(self):
            info = get_worker_info()
            return iter([torch.tensor(i) for i in range(info.id, 14, 2)])

    def make_shards():
        return Shards()

    def make_uncollated(kind="list", of=5):
        kinds = {"list": torch.zeros(3), "dicts": {"x": torch.zeros(3)}}
        data = [kinds.get(kind, (1.0, 2.0))] * 40
        collate = {"torch": None, "stacked": torch.tensor}.get(kind, list)
        return DataLoader(data, batch_size=of, collate_fn=collate)

    def make_arrays():
        rows = numpy.arange(6, dtype="uint16").reshape(3, 2)
        return [(rows + i, numpy.full(3, i, "float32")) for i in range(4)]

    def make_list(kind="strings"):
        fine = torch.zeros(4, 2)
        return {"strings": [[fine, ["a", "b", "c", "d"]]], "scalars": [[fine, torch.tensor(1.0)]],
                "objects": [[numpy.array([None] * 4)]], "uneven": [[fine, torch.zeros(3)]],
                "nothing": [[]],
                "grows": [[fine], [torch.zeros(5, 2)]], "wider": [[fine], [torch.zeros(4, 3)]],
                "retyped": [[fine], [fine.double()]], "more": [[fine], [fine, fine]],
                "shrinks": [[fine], [torch.zeros(3, 2)], [fine]], "raises": bad(fine)}[kind]

    def make_images(kind="pair"):
        rows = torch.arange(2 * 3 * 6 * 5, dtype=torch.float32).reshape(2, 3, 6, 5)
        labels = torch.tensor([7, 9])
        return [{"pair": (rows, labels),
                 "keys": {"label": labels, "image": rows, "path": ["a", "b"]},
                 "hf": {"pixel_values": rows.to(torch.uint8), "labels": labels},
                 "numpy": [rows.numpy(), labels.numpy()],
                 "last": (rows.permute(0, 2, 3, 1), labels),
                 "halves": (rows.half(), labels), "flat": (rows[0], labels),
                 "one_hot": (rows, torch.eye(2)), "more": (rows, labels, labels), "alone": rows,
                 "named": {"x": rows, "y": labels}, "words": (rows, ["a", "b"]),
                 "wrapped": collections.UserDict(x=rows)}[kind]] * 3

    def make_broken():
        yield {}["mask"]

    def bad(fine):
        yield [fine]
        raise ValueError("row 5 is broken")

    def setup(device):
        return {"model": torch.nn.Linear(1, 1), "seen": []}

    def step(batch, state):
        images, labels = batch
        values = images[:, 2, 1, 0].tolist()
        state["seen"].append((tuple(images.shape), images.dtype, labels.tolist(), values))
        return torch.tensor(float(images.sum()))

    def step_that_checks(batch, state):
        step(batch, state)
        shape, dtype, labels, values = state["seen"][-1]
        assert shape == (len(labels), 3, 4, 5) and dtype == torch.uint8, state["seen"]
        assert batch[1].dtype == torch.int64, state["seen"]
        return sum(labels) + values[0]

    def step_of_a_dict(batch, state):
        assert list(batch) == ["pixel_values", "labels"], list(batch)
        return step_that_checks((batch["pixel_values"], batch["labels"]), state)

    def step_that_tells(batch):
        image = batch[0]
        assert type(batch) is list and image.stride(1) == 1 and image.data_ptr() == pointer(image)
        return image.data_ptr() % 4096

    pointers = set()
    def pointer(image):
        pointers.add(image.data_ptr())
        assert len(pointers) == 1, pointers
        return image.data_ptr()

    def step_that_fails(batch):
        raise RuntimeError("too hot")
"""


class Serving(ChildTest):
    def serve(self, call="make_data", slots=2, settings=None, images=False, **args):
        child = self.child(DATA)
        self.loaded(child, call, args=args)
        child.send(
            "serve",
            settings=settings or {"num_workers": 0, "batch_size": 4},
            seed=1,
            observer=1,
            slots=slots,
            images=images,
        )
        return child, child.answer("spec")

    def batches(self, child, spec, count):
        """[(message, values of each tensor)]: each slot is read, and given back."""
        formats = {"float32": "f", "uint8": "B", "int64": "q", "bool": "?", "uint16": "H"}
        found = []
        memory = mmap.mmap(child.memory, os.fstat(child.memory).st_size)
        for _ in range(count):
            message = child.answer("batch")
            self.assertEqual("batch", message["type"], message)
            values = []
            for tensor, offset in zip(spec["tensors"], spec["offsets"]):
                size = message["rows"]
                for length in tensor["shape"]:
                    size *= length
                at = message["slot"] * spec["slot_bytes"] + offset
                values.append(
                    list(
                        struct.unpack_from(
                            "={}{}".format(size, formats[tensor["dtype"]]), memory, at
                        )
                    )
                )
            found.append((message, values))
            child.send("free", slot=message["slot"])
        return found

    def test_batches_arrive(self):
        child, spec = self.serve()
        self.assertEqual(
            [
                {"name": "image", "dtype": "float32", "shape": [2, 3]},
                {"name": "meta.0", "dtype": "int64", "shape": []},
                {"name": "meta.1", "dtype": "bool", "shape": []},
            ],
            spec["tensors"],
        )
        self.assertEqual((4, 10, 3), (spec["rows"], spec["length"], spec["batches"]))
        self.assertEqual([0, 128, 192], spec["offsets"])
        self.assertEqual(4096, spec["slot_bytes"])
        found = self.batches(child, spec, 5)
        self.assertEqual(
            [(0, 4), (0, 4), (0, 2), (1, 4), (1, 4)], [(m["epoch"], m["rows"]) for m, _ in found]
        )
        rows = [row for _, (_, row, _) in found[:3] for row in row]
        self.assertEqual(list(range(10)), rows)
        for message, (image, row, true) in found:
            self.assertEqual([float(i) for i in row for _ in range(6)], image)
            self.assertEqual([True] * message["rows"], true)

    def test_full_slots_hold_it_back(self):
        child, spec = self.serve(slots=2)
        first, second = child.answer("batch"), child.answer("batch")
        self.assertEqual({0, 1}, {first["slot"], second["slot"]})
        child.socket.settimeout(0.2)
        with self.assertRaises(OSError):
            child.receive()
        child.socket.settimeout(20)
        child.send("free", slot=first["slot"])
        self.assertEqual(first["slot"], child.answer("batch")["slot"])

    def test_end_answers_facts(self):
        child, spec = self.serve(settings={"num_workers": 2, "batch_size": 2})
        self.batches(child, spec, 12)
        child.send("end")
        message = child.answer("served")
        self.assertEqual("served", message["type"], message)
        self.assertGreaterEqual(message["epochs"], 2)
        self.assertGreater(message["startup_ns"], 0)
        for mean in ("epoch_gap_ns", "epoch_start_ns"):  # each is of other epochs, too
            self.assertGreater(message[mean], 0)
        self.assertTrue(wait_until(lambda: child.processes() == [child.pid]))
        self.loaded(child)  # and the conversation goes on

    def test_numpy(self):
        child, spec = self.serve("make_arrays")
        self.assertEqual(["uint16", "float32"], [tensor["dtype"] for tensor in spec["tensors"]])
        found = self.batches(child, spec, 3)
        self.assertEqual([[2, 3, 4, 5, 6, 7], [2.0] * 3], found[2][1])

    def test_images_for_a_trainer_of_images(self):
        rows = [
            float(r * 90 + c * 30 + y * 5 + x)
            for r in range(2)
            for y in range(6)
            for x in range(5)
            for c in range(3)
        ]
        for kind in ("pair", "keys", "hf", "numpy", "last"):
            with self.subTest(kind):
                child, spec = self.serve("make_images", images=True, kind=kind)
                self.assertEqual("spec", spec["type"], spec)
                self.assertEqual(
                    [
                        {
                            "name": "image",
                            "dtype": "uint8" if kind == "hf" else "float32",
                            "shape": [6, 5, 3],
                        },
                        {"name": "label", "dtype": "int64", "shape": []},
                    ],
                    spec["tensors"],
                )
                for _, values in self.batches(child, spec, 3):
                    self.assertEqual([rows, [7, 9]], values)

    def test_as_they_are_for_any_other_trainer(self):
        child, spec = self.serve("make_images")
        self.assertEqual(
            [("0", [3, 6, 5]), ("1", [])], [(one["name"], one["shape"]) for one in spec["tensors"]]
        )
        ((_, values),) = self.batches(child, spec, 1)
        self.assertEqual([[float(i) for i in range(180)], [7, 9]], values)

    def test_what_is_no_batch_of_images(self):
        cases = {
            "halves": "`image`, is float16 [2, 3, 6, 5], not float32 or uint8 [N, C, H, W]",
            "flat": "`image`, is float32 [3, 6, 5], not",
            "one_hot": "`label`, is float32 [2, 2], not int64 [N]",
            "more": "they have 3 members",
            "alone": "they are of type Tensor",
            "named": "they have the keys 'x', 'y'",
            "words": "the labels are of type list, not a tensor",
        }
        for kind, words in cases.items():
            with self.subTest(kind):
                _, message = self.serve("make_images", images=True, kind=kind)
                self.error(
                    message,
                    "scenario",
                    "this trainer takes images with labels",
                    "batches of make_images",
                    words,
                    "pixel_values",
                )

    def test_shards_end_in_smaller_batches(self):
        child, spec = self.serve("make_shards", settings={"num_workers": 2, "batch_size": 4})
        rows = [m["rows"] for m, _ in self.batches(child, spec, 8)]
        self.assertEqual([4, 4, 3, 3, 4, 4, 3, 3], rows)

    def test_what_cannot_be_handed_over(self):
        cases = {
            "strings": "'1.0' is str",
            "scalars": "'1' has no dimension of samples",
            "objects": "'0' is of type object",
            "uneven": "'1' has 3 rows, the first one 4",
            "nothing": "hold no tensors",
        }
        for kind, words in cases.items():
            _, message = self.serve("make_list", kind=kind)
            self.error(message, "scenario", "batches of make_list", words, "trainer: discard")

    def test_lists_of_samples_are_no_columns(self):
        for kind, of in (("list", 5), ("list", 3), ("list", 2), ("dicts", 2)):
            with self.subTest(kind=kind, of=of):
                _, message = self.serve(
                    "make_uncollated", settings={"num_workers": 0}, kind=kind, of=of
                )
                self.error(
                    message,
                    "scenario",
                    "batches of make_uncollated cannot be handed over: one is a list of "
                    f"{of} objects that may be its samples",
                    "trainer: discard",
                )

    def test_columns_of_as_many_rows(self):
        """Two columns of two rows, stacked by torch; and tensors that are no list at all."""
        _, spec = self.serve("make_uncollated", settings={"num_workers": 0}, kind="torch", of=2)
        self.assertEqual(
            (2, [[], []]), (spec["rows"], [tensor["shape"] for tensor in spec["tensors"]]), spec
        )
        _, spec = self.serve("make_uncollated", settings={"num_workers": 0}, kind="stacked", of=2)
        self.assertEqual(
            (2, [[2]]), (spec["rows"], [tensor["shape"] for tensor in spec["tensors"]]), spec
        )

    def test_what_changes(self):
        cases = {
            "grows": "batch 2 of epoch 1 has 5 rows, the first one 4",
            "wider": "'0' of batch 2 of epoch 1 is float32 [3], the first batch's float32 [2]",
            "retyped": "'0' of batch 2 of epoch 1 is float64 [2], the first batch's float32 [2]",
            "more": "batch 2 of epoch 1 has 2 tensors, the first one 1",
            "shrinks": "batch 2 of epoch 1 has 3 rows, the first one 4",
        }
        for kind, words in cases.items():
            child, _ = self.serve("make_list", slots=4, kind=kind)
            self.error(
                child.answer("served"),
                "scenario",
                "batches of make_list cannot be handed over: " + words,
            )

    def test_worker_that_is_killed(self):
        """While it waits for a slot: torch's handler of the signal raises there."""
        child, _ = self.serve(settings={"num_workers": 2, "batch_size": 2})
        child.answer("batch")
        child.answer("batch")
        os.kill(child.heard[-1]["workers"][1], signal.SIGKILL)
        self.error(
            child.answer("served"),
            "user",
            "worker 1 of the DataLoader",
            "was killed by SIGKILL",
            "use fewer workers",
        )

    def test_notes(self):
        """They name what is not as the user's script has it."""
        child = self.child(DATA)
        self.loaded(child)
        child.send(
            "serve",
            settings={"num_workers": 0, "batch_size": 4},
            seed=1,
            slots=1,
            images=False,
            intra_op_threads=3,
        )
        child.answer("spec")
        child.send("end")
        self.assertIn("torch runs with 3 threads", " ".join(child.answer("served")["notes"]))

    def test_exceptions_are_the_users(self):
        child, _ = self.serve("make_list", kind="raises")
        self.error(child.answer("served"), "user", "ValueError: row 5 is broken", "in bad")


class Describing(ChildTest):
    def described(self, call="make_images", **args):
        child = self.child(DATA)
        code = {"script": "train.py", "call": call, "args": args}
        child.send("check", loader=code, trainer=None, device="cpu", root=None, batch=True)
        return child.answer("checked")

    def test_a_batch_of_the_users_own(self):
        cases = {
            "pair": ("list", [("0", "float32", [3, 6, 5], False), ("1", "int64", [], False)]),
            "last": ("list", [("0", "float32", [6, 5, 3], False), ("1", "int64", [], False)]),
            "words": (
                "list",
                [
                    ("0", "float32", [3, 6, 5], False),
                    ("1.0", "str", None, False),
                    ("1.1", "str", None, False),
                ],
            ),
            "hf": (
                "dict",
                [("pixel_values", "uint8", [3, 6, 5], False), ("labels", "int64", [], False)],
            ),
            "alone": ("Tensor", [("batch", "float32", [3, 6, 5], False)]),
            "wrapped": ("UserDict", [("batch", "UserDict", None, False)]),
        }
        for kind, (form, members) in cases.items():
            with self.subTest(kind):
                batch = self.described(kind=kind)["batch"]
                self.assertEqual(form, batch["form"])
                found = [
                    (m["name"], m["dtype"], m["shape"], m["channels_last"])
                    for m in batch["members"]
                ]
                self.assertEqual(members, found)

    def test_of_a_dataset_a_few_samples(self):
        members = self.described("make_data")["batch"]["members"]
        self.assertEqual(
            [("image", [2, 3]), ("meta.0", []), ("meta.1", [])],
            [(member["name"], member["shape"]) for member in members],
        )

    def test_exceptions_are_the_users(self):
        self.error(self.described("make_broken"), "user", "KeyError: 'mask'", "in make_broken")


class Taking(ChildTest):
    TENSORS = [
        {"name": "image", "dtype": "uint8", "shape": [4, 5, 3]},
        {"name": "label", "dtype": "int64", "shape": []},
    ]

    def take(self, step, setup="setup", **more):
        child = self.child(DATA)
        self.loaded(child, None, step=step, setup=setup)
        os.ftruncate(child.memory, 2 * 4096)
        child.send(
            "take",
            tensors=self.TENSORS,
            rows=8,
            slot_bytes=4096,
            offsets=[0, 512],
            slots=2,
            device="cpu",
            seed=1,
            intra_op_threads=3,
            **more,
        )
        return child, child.answer("ready")

    @staticmethod
    def write(child, slot, rows):
        image = bytes(range(60))
        os.pwrite(child.memory, image * rows, slot * 4096)
        os.pwrite(
            child.memory, struct.pack(f"={rows}q", *range(rows)), slot * 4096 + 512
        )  # 480 bytes, then aligned

    @staticmethod
    def stepped(child, slot, rows):
        """Returns the loss of a step."""
        child.send("step", slot=slot, rows=rows)
        child.answer("stepped")
        child.send("loss")
        return child.answer("loss")["loss"]

    def test_steps(self):
        child, ready = self.take("step_that_checks")
        self.assertEqual(2, ready["parameters"])
        self.assertIn("torch runs with 3 threads", " ".join(ready["notes"]))
        for slot, rows in ((0, 8), (1, 8), (0, 3)):
            self.write(child, slot, rows)
            # Row 1, column 0, channel 2 of each image is its 17th byte.
            loss = self.stepped(child, slot, rows)
            self.assertEqual(sum(range(rows)) + (1 * 5 + 0) * 3 + 2, loss)
            child.send("edge")
            child.answer("reached")
        child.send("end")
        served = {"type": "served", "device": None, "notes": [], "blob": b""}
        self.assertEqual(served, child.answer("served"))

    def test_exceptions_are_the_users(self):
        child, _ = self.take("step_that_fails", None)
        child.send("step", slot=0, rows=1)
        self.error(child.answer("stepped"), "user", "RuntimeError: too hot", "in step_that_fails")

    def test_keys_that_are_named(self):
        child, ready = self.take("step_of_a_dict", keys="pixel_values, labels")
        self.assertEqual("ready", ready["type"], ready)
        self.write(child, 0, 8)
        self.assertEqual(28 + 17, self.stepped(child, 0, 8))
        _, message = self.take("step_of_a_dict", keys="pixel_values")
        self.error(
            message,
            "scenario",
            "trainer.batch_keys has 1 name, but a batch of this loader has 2 tensors: image, label",
        )

    def test_nothing_is_copied(self):
        """Each step gets the slot's own memory, as a view with the channels first."""
        child, _ = self.take("step_that_tells", None)
        for _ in range(3):
            self.assertEqual(0, self.stepped(child, 0, 8))

    @staticmethod
    def own(image=("uint8", [3, 4, 5]), names=("0", "1"), form="list", last=True, **more):
        members = [
            {"name": names[0], "dtype": image[0], "shape": image[1], "channels_last": last},
            {"name": names[1], "dtype": "int64", "shape": [], "channels_last": False},
        ]
        members += [
            {"name": name, "dtype": "str", "shape": None, "channels_last": False} for name in more
        ]
        return {"form": form, "members": members}

    def test_like_the_users_own(self):
        keys = "x, y"
        named = {"names": ("x", "y"), "form": "dict"}
        for words, own, order in (
            ("", self.own(), {}),
            ("", self.own(**named), {"keys": keys}),
            ("it may take another time", self.own(last=False), {}),
            (
                "also have 'path', which the step does not get",
                self.own(path=1, **named),
                {"keys": keys},
            ),
        ):
            with self.subTest(words):
                _, ready = self.take("step", own_batch=json.dumps(own), **order)
                notes = " ".join(ready.get("notes", ["none"]))
                self.assertIn(words, notes)
                self.assertEqual(bool(words), "your" in notes.replace("your script", ""), notes)

    def test_unlike_the_users_own(self):
        keys = "x, y"
        named = {"names": ("x", "y"), "form": "dict"}
        for own, order, *words in (
            (
                self.own(("uint8", [3, 8, 8])),
                {},
                "member 0 is uint8 [N, 3, 8, 8] in yours",
                "[N, 3, 4, 5] in this",
                "loader.transform",
            ),
            (
                self.own(("float32", [3, 4, 5])),
                {},
                "member 0 is float32 [N, 3, 4, 5] in yours",
                "normalize_on",
            ),
            (self.own(("float32", [3, 4, 5]), **named), {"keys": keys}, "'x' is float32"),
            (
                self.own(**named),
                {},
                "yours is a dict of 'x', 'y', this one a list of 2",
                "set trainer.batch_keys: x, y",
            ),
            (
                self.own(**named),
                {"keys": "x,z"},
                "this one a dict of 'x', 'z'",
                "trainer.batch_keys: x, y",
            ),
            (self.own(), {"keys": keys}, "yours is a list of 2", "leave trainer.batch_keys out"),
            (self.own(index=1), {}, "yours is a list of 3, this one a list of 2"),
            (
                {"form": "Tensor", "members": []},
                {},
                "yours is of type Tensor, this one a list of 2",
            ),
        ):
            with self.subTest(words[0]):
                _, message = self.take("step", own_batch=json.dumps(own), **order)
                self.error(
                    message,
                    "scenario",
                    "batches of this loader are not like those of yours",
                    *words,
                )

    def test_needs_a_step(self):
        child = self.child(DATA)
        self.loaded(child)
        child.send("take", tensors=self.TENSORS, rows=8, slot_bytes=4096, slots=2)
        self.error(child.answer("ready"), "scenario", "take needs a trainer")


if __name__ == "__main__":
    unittest.main()
