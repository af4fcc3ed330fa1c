"""What scripts/outside_programs and scripts/outside_kernels share: a table that grows line by line, the same as JSON, and what their
arguments may be.

A row is a name, what came of each step ("yes", "-" or a word of its own), and a note, which is the first error of what failed.
"""
import argparse
import json
import pathlib
import re
import sys

NAME_WIDTH = 72


def print_row(name, cells, note):
    print(f"{name:<{NAME_WIDTH}} " + " ".join(f"{cell:<3}" for cell in cells) + (f"  {note}" if note else ""), flush=True)


def print_head(what, steps):
    print_row(what, [", ".join([*steps, "first error"])], "")


def yes_or_no(succeeded):
    return "yes" if succeeded else "-"


def write_json(path, table):
    if path:
        path.write_text(json.dumps(table, indent=1) + "\n")


def refuse(text):
    """Ends the script, whose call was wrong."""
    print(f"{pathlib.Path(sys.argv[0]).name}: {text}", file=sys.stderr)
    sys.exit(2)


# ---- Kinds of arguments ----

def existing_folder(text):
    path = pathlib.Path(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"{text} is no folder")
    return path


def existing_file(text):
    path = pathlib.Path(text)
    if not path.is_file():
        raise argparse.ArgumentTypeError(f"{text} is no file")
    return path


def new_file(text):
    path = pathlib.Path(text)
    if path.is_dir() or not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text} cannot be written")
    return path


def positive_number(text):
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text} is no number above 0")
    return int(text)


def expression(text):
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text} is no regular expression: {error}")
