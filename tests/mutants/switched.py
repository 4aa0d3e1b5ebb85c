"""Puts the wrong versions of a C++ source file next to the right one, with a switch between them.

A change in the body of a function gives the body twice: `{ if (benchbench_mutant(7)) { wrong }
else { right } }`. A change elsewhere in an expression, such as an initialiser, gives
`(benchbench_mutant_runs(7) ? (wrong) : (right))`. A declaration that is only added stands there for
all. switch.h has the two functions."""

import dataclasses
import re

HEADER = '#include "tests/mutants/switch.h"\n'
TOKEN = re.compile(
    r"""
      (?P<blank>\s+|//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:[^\n\\]|\\.)*)
    | (?:u8|[uUL])?R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"
    | (?:u8|[uUL])?"(?:[^"\\]|\\.)*"
    | (?:u8|[uUL])?'(?:[^'\\]|\\.)'
    | '(?:[^'\\]|\\.)+'
    | \.?\d(?:'?[\w.]|(?<=[eEpP])[+-])*
    | \w+
    | ::|->\*?|\+\+|--|&&|\|\||<<=?|[-+*/%^&|<>=!]=|.
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
CLOSING = {"(": ")", "[": "]", "{": "}"}
BRACKETS = "()[]{}"


class Unswitchable(Exception):
    """A change that no switch can choose: it must be written in another way."""


@dataclasses.dataclass(frozen=True)
class Token:
    text: str
    begin: int
    end: int


@dataclasses.dataclass(frozen=True)
class Change:
    """What stands from `begin` to `end` becomes `text` where mutant `number` takes effect."""

    number: int
    begin: int
    end: int
    text: str


def tokens_of(text):
    return [
        Token(found.group(), found.start(), found.end())
        for found in TOKEN.finditer(text)
        if found.group("blank") is None
    ]


def trimmed(text, change):
    """The change without the tokens that it leaves as they are at its begin and its end."""
    old = tokens_of(text[change.begin : change.end])
    new = tokens_of(change.text)
    same = 0
    while same < min(len(old), len(new)) and old[same].text == new[same].text:
        same += 1
    tail = 0
    while tail < min(len(old), len(new)) - same and old[-1 - tail].text == new[-1 - tail].text:
        tail += 1
    if same + tail < len(old):
        begin, end = change.begin + old[same].begin, change.begin + old[-1 - tail].end
    else:
        begin = end = change.begin + (old[same - 1].end if same else 0)
    left = new[same : len(new) - tail]
    return Change(
        change.number, begin, end, change.text[left[0].begin : left[-1].end] if left else ""
    )


def partners_of(tokens):
    """{index of an opening bracket: index of its closing one}"""
    open_ones, partners = [], {}
    for i, token in enumerate(tokens):
        if token.text in CLOSING:
            open_ones.append(i)
        elif token.text in CLOSING.values():
            partners[open_ones.pop()] = i
    return partners


def words_of(declaration):
    """The words of these tokens without `template <...>` before them."""
    words = [token.text for token in declaration]
    while words[:2] == ["template", "<"]:
        depth, end = 1, 2
        while depth:
            depth += {"<": 1, ">": -1}.get(words[end], 0)
            end += 1
        words = words[end:]
    return words


def is_scope(before):
    """True if `{` after these tokens of a declaration opens a namespace or a class."""
    words = words_of(before)
    return words[:1] in (["namespace"], ["class"], ["struct"], ["union"]) or (
        words[:2] in (["inline", "namespace"], ["extern", '"C"'])
    )


def is_body(before):
    """True if `{` after these tokens of a declaration opens the body of a function."""
    words = words_of(before)
    depth, names_members = 0, False
    for i, word in enumerate(words):
        if word in CLOSING:
            depth += 1
        elif word in CLOSING.values():
            depth -= 1
        elif depth == 0 and word == "=" and words[i - 1 : i] != ["operator"]:
            return False
        elif depth == 0 and word == ":" and ")" in words[:i]:
            names_members = True
    return words[-1] in (")", "}") if names_members else ")" in words


def bodies_of(tokens):
    """(begin, end) of what stands between the braces of each function that is in no other."""
    partners = partners_of(tokens)
    bodies = []
    i = begin = 0
    while i < len(tokens):
        word = tokens[i].text
        if word == "{" and is_scope(tokens[begin:i]):
            begin = i + 1
        elif word in CLOSING:
            if word == "{" and is_body(tokens[begin:i]):
                bodies.append((tokens[i].end, tokens[partners[i]].begin))
                begin = partners[i] + 1
            i = partners[i]
        elif word in (";", "}") or (
            word == ":" and tokens[i - 1].text in ("public", "protected", "private")
        ):
            begin = i + 1
        i += 1
    return bodies


def distance(tokens, deeper, stops):
    """How many tokens there are before the first one of `stops` that is in no brackets."""
    depth = 0
    for n, token in enumerate(tokens):
        if depth == 0 and token.text in stops:
            return n
        if token.text in BRACKETS:
            depth += 1 if token.text in deeper else -1
    return len(tokens)


def expression_around(tokens, change):
    """(begin, end) of the element of a list or the initialiser that the change is in."""
    before = [token for token in tokens if token.end <= change.begin]
    after = [token for token in tokens if token.begin >= change.end]
    left = distance(before[::-1], CLOSING.values(), "([{,;=")
    right = distance(after, CLOSING, ")]},;")
    if left == len(before) or right == len(after):
        raise Unswitchable("neither within the body of a function nor within an expression")
    opens, closes = before[-1 - left].text, after[right].text
    if opens == ";" or (closes == ";" and opens != "="):
        raise Unswitchable("neither within the body of a function nor within an expression")
    return (
        before[-left].begin if left else change.begin,
        after[right - 1].end if right else change.end,
    )


def constexpr_before(tokens, at):
    """The word constexpr of the declaration that `at` is in, if it has one."""
    found, around = None, []
    for token, following in zip(tokens, tokens[1:]):
        if token.begin >= at:
            break
        if token.text == "constexpr":
            found = token
        elif token.text == "{":
            around.append(found)
        elif token.text == "}":
            outer = around.pop()
            found = outer if following.text in (",", ";", "}", ")") else None
        elif token.text == ";":
            found = None
    return found


def with_changes(text, begin, end, changes, apart=" "):
    """What stands from `begin` to `end`, with these changes made; `apart` stands around each."""
    made, at = "", begin
    for change in sorted(changes, key=lambda change: change.begin):
        made += text[at : change.begin] + apart + change.text + apart
        at = change.end
    return made + text[at:end]


def switched_body(text, body, versions):
    begin, end = body
    parts = [
        f"if (benchbench_mutant({number})) {{\n{with_changes(text, begin, end, changes)}\n}} else "
        for number, changes in versions.items()
    ]
    return "\n" + "".join(parts) + "{" + text[begin:end] + "}\n"


def switched_expression(text, expression, versions):
    begin, end = expression
    parts = [
        f"benchbench_mutant_runs({number}) ? ({with_changes(text, begin, end, changes)}) : "
        for number, changes in versions.items()
    ]
    return "(" + "".join(parts) + "(" + text[begin:end] + "))"


def is_one_expression(text):
    depth = 0
    for token in tokens_of(text):
        depth += (token.text in CLOSING) - (token.text in CLOSING.values())
        if token.text in (";", "{", "}") or depth == 0 and token.text == ",":
            return False
    return depth == 0


def is_added_declaration(tokens, change):
    before = [token.text for token in tokens if token.end <= change.begin]
    return change.begin == change.end and before[-1] in ";{}" and change.text.endswith(";")


def place_of(tokens, bodies, change):
    """Body or expression (begin, end) that must stand there twice, and the function that writes
    it."""
    for begin, end in bodies:
        if begin <= change.begin and change.end <= end:
            return (begin, end), switched_body
    begin, end = expression_around(tokens, change)
    if not is_one_expression(change.text):
        raise Unswitchable("not within the body of a function, and not one expression")
    return (begin, end), switched_expression


def switched(text, changes):
    """The text with all of the changes in it, each behind its number."""
    tokens = tokens_of(text)
    bodies = bodies_of(tokens)
    places, edits = {}, {}
    for change in (trimmed(text, change) for change in changes):
        if is_added_declaration(tokens, change) and not any(
            begin <= change.begin <= end for begin, end in bodies
        ):
            edits[change.begin, change.end] = f"\n{change.text}\n"
            continue
        place, write = place_of(tokens, bodies, change)
        versions = places.setdefault(place, (write, {}))[1]
        versions.setdefault(change.number, []).append(change)
        constant = constexpr_before(tokens, place[0])
        if write is switched_expression and constant:
            edits[constant.begin, constant.end] = "const"
    for place, (write, versions) in places.items():
        edits[place] = write(text, place, versions)
    made, at = "", 0
    for (begin, end), new in sorted(edits.items()):
        if begin < at:
            raise Unswitchable("two changes overlap")
        made += text[at:begin] + new
        at = end
    return HEADER + made + text[at:]
