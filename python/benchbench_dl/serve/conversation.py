"""Answers benchbench's requests, one after the other."""

import functools
import os
import sys
import time
import traceback

from .. import devices, workers
from ..channel import Channel
from ..failure import Failure
from ..observe.die_with_parent import ask_kernel_to_kill
from ..sources import noting_loaders
from ..versions import describe_process, versions
from .own_batch import described
from .sharing.leftovers import Leftovers
from .source import Source
from .step import Step
from .user_code import load as load_code


def hold_conversation():
    channel = Channel.inherited()
    channel.when_closed(_die)
    _die_with_parent()
    _keep_output_in_order()
    channel.send("hello", describe_process())
    Conversation(channel).hold()


def _die():
    workers.kill_children()
    os._exit(1)


def _die_with_parent():
    try:
        ask_kernel_to_kill()
    except (OSError, AttributeError):
        pass


def _keep_output_in_order():
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        stream = getattr(sys, name)
        if stream is None:
            stream = open(descriptor, "w", closefd=False)
            setattr(sys, name, stream)
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(line_buffering=True, errors="backslashreplace")


class Conversation:
    """The state between requests: what is loaded."""

    def __init__(self, channel):
        self._channel = channel
        self._source = self._step = self._leftovers = None

    def hold(self):
        while True:
            try:
                request = self._channel.receive()
            except (EOFError, OSError, ValueError):  # closed, or not a message
                _die()
            try:
                self._answer(request)
            except Failure as failure:
                self._channel.send("error", failure.members())
            except BaseException as error:
                self._channel.send(
                    "error",
                    {
                        "kind": "internal",
                        "message": f"{type(error).__name__}: {error}",
                        "traceback": traceback.format_exc(),
                    },
                )

    def _answer(self, request):
        """By the method that has the request's name."""
        kind = request.get("type")
        answer = getattr(self, f"_answer_{kind}", None)
        if answer is None:
            raise RuntimeError(f"no request is called {kind!r}")
        answer(request)

    def _answer_load(self, request):
        self._channel.send("loaded", self._loaded(request))

    def _loaded(self, request):
        loader, trainer, root = map(request.get, ("loader", "trainer", "root"))
        begun = time.monotonic()
        with noting_loaders():
            for part in (loader, trainer):
                if part:
                    load_code(part)
        imported = time.monotonic()
        if request.get("rests") and self._leftovers is None:
            self._leftovers = Leftovers()
        looked = time.monotonic()
        with noting_loaders():
            self._source = Source(loader, root) if loader else None
            called = time.monotonic()
            self._step = Step(trainer, root) if trainer else None
        self._watch()
        return {
            "seconds": {"import": imported - begun, "call": called - looked},
            "versions": versions(),
            "loader": self._source.members() if self._source else None,
        }

    def _watch(self):
        if self._leftovers is None:
            return
        if self._source:
            self._leftovers.watch(f"what {self._source.call} returned", self._source.made)
        if self._step:
            self._step.on_setup = functools.partial(self._leftovers.watch, "what setup returned")

    def _answer_rest(self, request):
        """The trial is over: everything that it had goes, and the answer says what stayed."""
        kind = ("loader" if self._source else "") + (" trainer" if self._step else "")
        self._source = self._step = None
        self._channel.send("rested", {"left": self._leftovers.left(kind)})

    def _answer_check(self, request):
        if request.get("names_only"):
            return self._check_names(request)
        members = self._loaded(request)
        if request.get("batch"):
            members["batch"] = described(self._source)
        self._channel.send("checked", members)

    def _check_names(self, request):
        for side, keys in (("loader", ("call",)), ("trainer", ("call", "setup"))):
            part = request.get(side)
            code = load_code(part) if part else None
            for key in keys:
                if code and part.get(key):
                    code.find(part[key], f"{side}.{key}")
        self._channel.send("checked", {"versions": versions(), "loader": None})

    def _answer_cuda(self, request):
        self._channel.send("cuda", devices.found())

    def _answer_run(self, request):
        from .run import Run

        members, blob = Run(self._channel, self._source, self._step, request).result()
        self._channel.send("result", members, blob)

    def _answer_serve(self, request):
        from .serve import Serve

        self._channel.send("served", Serve(self._channel, self._source, request).served())

    def _answer_take(self, request):
        from .take import Take

        self._channel.send("served", Take(self._channel, self._step, request).served())

    def _answer_stop(self, request):
        workers.end_all()
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                pass
        self._channel.send("bye")
        os._exit(0)
