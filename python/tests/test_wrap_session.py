"""One conversation, several threads."""
import json
import os
import socket
import struct
import sys
import threading
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from benchbench_child.protocol import Channel  # noqa: E402
from benchbench_wrap.session import Session  # noqa: E402


class LookedAtMeanwhile(Channel):
    """Its answer is there before `send` returns, and another thread looks for messages then."""
    session, seen = None, ()

    def send(self, kind, members=None, blob=b""):
        body = json.dumps({"type": "go"}).encode()
        self.peer.sendall(struct.pack("<II", len(body), 0) + body)
        other = threading.Thread(target=lambda: setattr(self, "seen", [self.session.poll()]))
        other.start()
        other.join()


class Conversation(unittest.TestCase):
    def setUp(self):
        ours, peer = socket.socketpair()
        self.addCleanup(ours.close)
        self.addCleanup(peer.close)
        ours.settimeout(5)
        self.channel = LookedAtMeanwhile(ours)
        self.channel.peer = peer
        self.session = self.channel.session = Session(self.channel)

    def test_an_answer_reaches_who_asked(self):
        self.assertEqual({"type": "go"}, self.session.ask("planned", {}))
        self.assertEqual([None], self.channel.seen)

    def test_of_several_messages(self):
        with self.session.asking:
            self.session.send("next", {})
            self.assertEqual({"type": "go"}, self.session.poll(5))
        self.assertEqual([None], self.channel.seen)

    def test_what_nobody_asked_for_is_found(self):
        self.session.send("progress", {})
        self.assertEqual([{"type": "go"}], self.channel.seen)


if __name__ == "__main__":
    unittest.main()
