"""What scripts/outside_programs and scripts/outside_kernels share: a table that grows line by line, and the same as JSON.

A row is a name, what came of each step ("yes", "-" or a word of its own), and a note, which is the first error of what failed.
"""
import json

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
