"""The files of the tree that each row of ctest is made of, as a build folder knows them."""

import collections
import functools
import json
import os
import re
import subprocess

PROGRAM = "bin/benchbench"
UNREAD = "?"  # stands for the headers of an object that was not compiled yet
LOADED = re.compile(r"\.so(\.\d+)?$|/" + re.escape(PROGRAM) + "$")
LINKS = re.compile(r"CXX_(EXECUTABLE|STATIC_LIBRARY|MODULE_LIBRARY|SHARED_LIBRARY)_LINKER")


class Edge:
    """The making of a file: from which others, and which must be there before."""

    def __init__(self, rule, inputs, before):
        self.rule, self.inputs, self.before = rule, inputs, before


def whole(folder, name):
    """Returns the one name of a file: the compiler, say, names files of the tree ../../x.h."""
    return os.path.normpath(os.path.join(folder, name))


def words_of(text):
    return [re.sub(r"\$(.)", r"\1", word) for word in re.findall(r"(?:[^\s$]|\$.)+", text)]


def read_edges(text, folder):
    """{file: Edge} of a build.ninja, with whole paths."""
    text = re.sub(r"\$\n\s*", "", text).replace("${cmake_ninja_workdir}", "")
    edges = {}
    for outputs, rule, rest in re.findall(r"^build ((?:[^:$\n]|\$.)+): (\S+)(.*)$", text, re.M):
        if rule == "phony":
            continue
        inputs, _, before = rest.partition("||")
        edge = Edge(
            rule,
            [whole(folder, word) for word in words_of(inputs) if word != "|"],
            [whole(folder, word) for word in words_of(before)],
        )
        edges.update((whole(folder, word), edge) for word in words_of(outputs) if word != "|")
    return edges


def read_headers(text, folder, root):
    """{object: the files of the tree that the compiler read} of what `ninja -t deps` prints."""
    headers, made = {}, None
    for line in text.splitlines():
        if line.startswith("    " + root) or re.match("    [^/]", line):
            headers[made].append(whole(folder, line[4:]))
        elif ": #deps" in line:
            made = whole(folder, line[: line.index(": #deps")])
            headers[made] = []
    return headers


class Graph:
    """The files that each file of a build folder is made of."""

    def __init__(self, edges, headers):
        self.edges, self.headers, self.known = edges, headers, {}

    def files_of(self, path):
        if path not in self.known:
            self.known[path] = self.look_up(path)
        return self.known[path]

    def look_up(self, path):
        edge = self.edges.get(path)
        if edge is None:
            return {path}
        unread = path.endswith(".o") and path not in self.headers
        files = {UNREAD} if unread else set()
        for other in edge.inputs + self.headers.get(path, []) + loaded_by(edge):
            files |= self.files_of(other)
        return files


def loaded_by(edge):
    """Returns what a linked file opens or starts when it runs. For the build such a file must be
    there first, but is no input."""
    return [path for path in edge.before if LINKS.match(edge.rule) and LOADED.search(path)]


class Build:
    """A build folder, where its tree was when it was made, and its rows."""

    def __init__(self, folder):
        cache = (folder / "CMakeCache.txt").read_text()
        self.folder = re.search(r"^CMAKE_CACHEFILE_DIR:INTERNAL=(.*)$", cache, re.M).group(1)
        self.root = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", cache, re.M).group(1)
        shown = output_of("ctest", "--test-dir", str(folder), "--show-only=json-v1")
        self.rows = {row["name"]: row["command"] for row in json.loads(shown)["tests"]}
        self.graph = Graph(
            read_edges((folder / "build.ninja").read_text(), self.folder),
            read_headers(
                output_of("ninja", "-C", str(folder), "-t", "deps"), self.folder, self.root
            ),
        )

    def name_in_tree(self, path):
        """Returns None for what is not of the tree."""
        if path == UNREAD:
            return path
        if path.startswith(self.folder + "/") or not path.startswith(self.root + "/"):
            return None
        return path[len(self.root) + 1 :]

    def outputs_of(self, word):
        """Returns what a word of a command names: a file that is built, or the files of a folder;
        the build folder itself stands for the program."""
        if word == self.folder:
            return [os.path.join(word, PROGRAM)]
        return [path for path in self.graph.edges if word in (path, os.path.dirname(path))]

    def files_of(self, row):
        """Returns the names of all files of the tree that the row's command is made of."""
        command, files = self.rows[row], set()
        for word in command:
            paths = self.outputs_of(word)
            for path in paths:
                files |= self.graph.files_of(path)
            files |= {word} if not paths else set()
        scripts = [word for word in command if self.name_in_tree(word)]
        modules = [word + ".py" for word in command if re.fullmatch(r"\w+", word)]
        files |= {os.path.join(os.path.dirname(one), name) for one in scripts for name in modules}
        return set(filter(None, map(self.name_in_tree, files)))

    @functools.cached_property
    def rows_of(self):
        """{file of the tree: rows}"""
        rows = collections.defaultdict(set)
        for row in self.rows:
            for file in self.files_of(row):
                rows[file].add(row)
        return rows


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
