"""Compares messages with ../messages.json, which describes all of them."""

import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "..", "messages.json")) as file:
    DESCRIBED = json.load(file)
KINDS = {"int": (int,), "real": (int, float), "bool": (bool,), "text": (str,)}


def list_members(described):
    """Returns {name: type} with the members of the objects that `+` lists."""
    members = {}
    for name in described.get("+", ()):
        members.update(list_members(DESCRIBED["objects"][name]))
    members.update((name, kind.lstrip("~")) for name, kind in described.items() if name != "+")
    return members


PLAN = list_members(DESCRIBED["wrap"]["benchbench"]["plan"])


def differences(value, kind, place):
    """Yields what of a value is not of this type, in sentences."""
    if kind.endswith("?"):
        if value is not None:
            yield from differences(value, kind[:-1], place)
    elif kind in KINDS:
        if type(value) not in KINDS[kind]:
            yield f"{place} is {value!r}, not {kind}"
    elif kind[0] in "[{":
        if not isinstance(value, list if kind[0] == "[" else dict):
            yield f"{place} is {value!r}, not {kind}"
            return
        for key, one in enumerate(value) if kind[0] == "[" else value.items():
            yield from differences(one, kind[1:-1], f"{place}[{key}]")
    elif kind != "any":
        yield from differences_of_object(value, list_members(DESCRIBED["objects"][kind]), place)


def differences_of_object(value, members, place):
    if not isinstance(value, dict):
        yield f"{place} is {value!r}, not an object"
        return
    for name in sorted(value.keys() - members.keys()):
        yield f"{place}.{name} is not described"
    for name, kind in members.items():
        yield from differences(value.get(name), kind, f"{place}.{name}")


def compare(message, way, sender="python"):
    """Raises where a message differs from its description: of `way` ("use: python", "wrap"), said
    by `sender` ("python", "benchbench")."""
    described = DESCRIBED[way][sender].get(message["type"])
    if described is None:
        raise AssertionError(f"{way}: no message of {sender} is called {message['type']!r}")
    members = dict(list_members(described), type="text")
    found = list(differences_of_object(message, members, message["type"]))
    if found:
        raise AssertionError(f"{way}, messages.json: " + "; ".join(found))
