"""Checks a page of `lightmetal_runner report`: python3 check_page.py PAGE INFO [DOM]

PAGE holds nothing from outside, only scripts that its policy names, and JSON that says what INFO does, which is what `info --format json`
printed. DOM is the page as a browser has it after its start: the numbers that it shows are INFO's.
"""
import base64
import collections
import hashlib
import html.parser
import json
import re
import sys


class Page(html.parser.HTMLParser):
    """The elements of a page: (name, attributes, content) of those that hold scripts and styles, and the names of all."""

    def __init__(self, text):
        super().__init__()
        self.names, self.blocks, self.values, self.policy, self.links = set(), [], [], None, []
        self.open = None
        self.feed(text)

    def handle_starttag(self, name, attributes):
        values = dict(attributes)
        self.names.add(name)
        self.links += [value for key, value in attributes if key in ("src", "href", "srcset", "action", "data") or key.startswith("on")]
        if name in ("script", "style"):
            self.open = [name, values, ""]
            self.blocks.append(self.open)
        if values.get("http-equiv") == "Content-Security-Policy":
            self.policy = values["content"]
        if "data-name" in values:
            self.values.append((values["data-name"], float(values["data-value"])))

    def handle_endtag(self, name):
        if self.open and self.open[0] == name:
            self.open = None

    def handle_data(self, data):
        if self.open:
            self.open[2] += data


def source_of(content):
    return "'sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode() + "'"


def check_document(page):
    known = {"html", "head", "meta", "title", "style", "body", "header", "span", "nav", "button", "input", "main", "section", "div", "footer",
             "dialog", "noscript", "script"}
    assert page.names == known, f"other elements: {page.names ^ known}"
    assert page.links == [], f"links: {page.links}"
    data = [block for block in page.blocks if block[1].get("type") == "application/json"]
    scripts = [block for block in page.blocks if block[0] == "script" and block not in data]
    styles = [block for block in page.blocks if block[0] == "style"]
    assert len(scripts) == 1 and len(styles) == 1
    wanted = (f"default-src 'none'; script-src {source_of(scripts[0][2])}; style-src {source_of(styles[0][2])}; "
              "base-uri 'none'; form-action 'none'")
    assert page.policy == wanted, f"the policy is {page.policy}, not {wanted}"
    assert not re.search(r"https?:|url\(|@import|\bfetch\(|XMLHttpRequest|WebSocket|innerHTML|\beval\(", scripts[0][2] + styles[0][2])
    return {block[1]["id"].removeprefix("data-"): json.loads(block[2]) for block in data}


def check_data(data, info):
    assert data["info"] == info, "the page's data are not info's"
    commands = data["commands"]
    assert commands["total"] == info["num_commands"]
    counts = {}
    for call in commands["call"]:
        counts[commands["calls"][call]] = counts.get(commands["calls"][call], 0) + 1
    assert counts == info["commands"], f"{counts} is not {info['commands']}"
    for column in ("text", "track", "object", "bytes"):
        assert len(commands[column]) == len(commands["call"]), f"the column {column} is not whole"
    assert max(commands["text"], default=0) < len(commands["texts"])
    assert len(commands["kinds"]) == len(commands["calls"])
    edges = data["objects"]["edges"]
    assert all(edge < len(data["objects"]["programs"]) for edge in edges[0::3])
    assert all(edge < len(data["objects"]["buffers"]) for edge in edges[1::3])
    check_sums(commands, data["objects"])
    check_goldens(commands, data["recorded-goldens"]["recorded"])


def check_sums(commands, objects):
    """Each program has the launches, and each buffer the transfers and bytes, of the commands that name it."""
    counts, sizes, first = collections.Counter(), collections.Counter(), {}
    for number, call in enumerate(commands["call"]):
        assert commands["track"][number] <= len(commands["tracks"])
        key = commands["kinds"][call], commands["object"][number]
        counts[key] += 1
        sizes[key] += commands["bytes"][number]
        first.setdefault(key, number)
    for number, program in enumerate(objects["programs"]):
        key = "launch", number
        assert program[3:5] == [first.get(key, -1), counts[key]], f"program {program}: {counts[key]} launches"
    for number, buffer in enumerate(objects["buffers"]):
        write, read = ("write", number), ("read", number)
        wanted = [counts[write], sizes[write], counts[read], sizes[read]]
        assert buffer[10:14] == wanted, f"buffer {buffer}: {wanted}"


def check_goldens(commands, goldens):
    """Each golden is of a read, as large as what that reads."""
    for command, buffer, _, size, _ in goldens:
        assert commands["kinds"][commands["call"][command]] == "read"
        assert commands["object"][command] == buffer and commands["bytes"][command] == size


def numbers_of(info):
    payloads = info["payloads"]
    numbers = {("size", info["size"]), ("num_commands", info["num_commands"]), ("payloads.count", payloads["count"]),
               ("payloads.stored_bytes", payloads["stored_bytes"]), ("payloads.unique_bytes", payloads["unique_bytes"]),
               ("payloads.used_bytes", payloads["used_bytes"])}
    numbers |= {("commands." + name, count) for name, count in info["commands"].items()}
    numbers |= {("devices.id", device["id"]) for device in info["devices"][:200]}
    numbers |= {("kernels.id", kernel["id"]) for kernel in info["kernels"][:200]}
    return numbers


def main():
    with open(sys.argv[2]) as file:
        info = json.load(file)
    with open(sys.argv[1]) as file:
        check_data(check_document(Page(file.read())), info)
    if len(sys.argv) > 3:
        with open(sys.argv[3]) as file:
            text = file.read()
        assert 'data-ready="yes"' in text, "the script did not come to its end"
        shown = Page(text)
        assert not shown.names & {"img", "iframe", "svg", "a", "object", "embed", "link"}, shown.names
        missing = numbers_of(info) - set(shown.values)
        assert not missing, f"the page does not show {missing}"


main()
