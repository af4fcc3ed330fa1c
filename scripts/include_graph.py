"""What scripts/house and scripts/check_includes share: the sources of a tree, which includes which, and the cycles of that.

Tests, examples, benchmarks and what others wrote are told apart by the names of their files and folders. A component is a header with the
source of its name.
"""
import collections
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CODE = {".h", ".hpp", ".cc", ".cpp", ".fbs"}
HEADERS = {".h", ".hpp"}
TESTS = re.compile(r"(^|/)tests?/|_(perf)?test\.|(^|/)test[^/]*\.|_testing\.|testutil|testharness")
APART = re.compile(r"(^|/)(third_party|examples|benchmarks|build[^/]*|docs?|misc|issues|\.[^/]*)/")
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]')


class Source:
    def __init__(self, root, path):
        self.path = path.relative_to(root).as_posix()
        self.text = path.read_text(errors="replace")
        self.lines = self.text.splitlines()
        self.is_header = path.suffix in HEADERS
        self.component = os.path.splitext(self.path)[0]
        self.folder = os.path.dirname(self.path)


def sources_of(root):
    """(production, tests) of the tree."""
    production, tests = [], []
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.suffix not in CODE or not path.is_file() or APART.search(name):
            continue
        (tests if TESTS.search(name) else production).append(Source(root, path))
    return production, tests


def includes_of(source):
    """(line number, what is included) of a source."""
    for number, line in enumerate(source.lines, 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1]


def arrows(sources):
    """(source, the source that it includes, the number of the line that does so)."""
    known = {source.path: source for source in sources}
    prefixes = sorted({path[: path.index("include/") + 8] for path in known if "include/" in path})
    for source in sources:
        for number, name in includes_of(source):
            near = os.path.normpath(os.path.join(source.folder, name))
            target = next((known[path] for path in [near, name] + [prefix + name for prefix in prefixes] if path in known), None)
            if target is not None:
                yield source, target, number


def cycles(edges):
    """The strongly connected sets of more than one node, the largest first (Tarjan, 1972)."""
    graph = collections.defaultdict(set)
    for a, b in edges:
        if a != b:
            graph[a].add(b)
    number, low, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        for target in graph.get(node, ()):
            if target not in number:
                visit(target)
            if target in stack:
                low[node] = min(low[node], low[target])
        if low[node] == number[node]:
            members = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(members) > 1:
                found.append(sorted(members))

    sys.setrecursionlimit(10000)
    for node in list(graph):
        if node not in number:
            visit(node)
    return sorted(found, key=len, reverse=True)
