"""Each message that a test of this folder hears is compared with messages.json: how strictly."""

import unittest

import messages

NEXT = {"type": "next", "saves": 0, "between_saves": 0, "until_save": 0}
NEXT.update(refused=["a", "b"], epochs=0, epoch_left=None)


class Messages(unittest.TestCase):
    def assert_differs(self, words, **members):
        with self.assertRaises(AssertionError) as raised:
            messages.compare(dict(NEXT, **members), "wrap")
        self.assertIn(words, str(raised.exception))

    def test_members_are_as_they_are_described(self):
        messages.compare(NEXT, "wrap")
        self.assert_differs("next.why is not described", why="")
        self.assert_differs("next.saves is None, not int", saves=None)
        self.assert_differs("next.saves is True, not int", saves=True)
        self.assert_differs("next.refused[1] is 7, not text", refused=["a", 7])
        self.assert_differs("no message of python is called 'nxt'", type="nxt")

    def test_members_of_members_are(self):
        rank = {"rank": 0, "world": 2}
        found = messages.differences({"rank": 0, "world": 2}, "rank?", "hello.rank")
        self.assertEqual(["hello.rank.local_rank is None, not int"], list(found))
        whole = dict(rank, local_rank=0)
        self.assertEqual([], list(messages.differences(whole, "rank?", "hello.rank")))

    def test_every_type_is_known(self):
        objects = messages.DESCRIBED["objects"]
        described = list(objects.values())
        for way in ("use: python", "wrap"):
            for sender in ("python", "benchbench"):
                described += messages.DESCRIBED[way][sender].values()
        for members in described:
            for name, kind in messages.list_members(members).items():
                self.assertIn(
                    kind.strip("[]{}?"), set(objects) | set(messages.KINDS) | {"any"}, name
                )


if __name__ == "__main__":
    unittest.main()
