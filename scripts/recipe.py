"""What scripts/house and tests/adding_a_command share: the blocks of docs/adding-a-command.md and where they go."""
import re

DOCUMENT = "docs/adding-a-command.md"
BLOCK = re.compile(r"^In `(?P<file>[^`]+)`, (?P<side>above|below) (?P<ticks>`+) ?(?P<line>.+?) ?(?P=ticks):\n\n```\w*\n(?P<text>.*?)^```$", re.M | re.S)


def blocks_of(root):
    """The file, side, line and text of each block. The line is the one of the file that holds this text."""
    text = (root / DOCUMENT).read_text()
    blocks = [match.groupdict() for match in BLOCK.finditer(text)]
    if len(re.findall(r"^```", text, re.M)) != 2 * len(blocks):
        raise ValueError(f"{DOCUMENT} has a block whose place it does not say")
    return blocks


def figures(blocks):
    """How many files of production code a new command touches, and how many lines of them are written by hand."""
    production = [block for block in blocks if not block["file"].startswith("tests/")]
    return {"files": len({block["file"] for block in production}), "lines": sum(block["text"].count("\n") for block in production)}
