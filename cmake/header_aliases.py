#!/usr/bin/env python3
"""Writes the headers of a table that only include others (api/header_aliases.txt, which explains its lines).

  cmake/header_aliases.py TABLE FOLDER

Afterwards FOLDER holds these headers and nothing else. A header that is as it was keeps its time. Exit code 1 and one sentence if a line
is wrong.
"""
import pathlib
import sys
import textwrap

COLUMNS = 100


def text_of(note, includes):
    comment = textwrap.fill(note, COLUMNS, initial_indent="// ", subsequent_indent="// ")
    lines = [f"#include <{header}>  // IWYU pragma: export" for header in includes]
    return "\n".join(["#pragma once", "", *filter(None, [comment]), *lines, ""])


def headers_of(table):
    headers = {}
    note = ""
    for number, line in enumerate(table.read_text().splitlines(), 1):
        name, colon, includes = line.partition(": ")
        if line == "note" or line.startswith("note "):
            note = line[5:]
        elif not line or line.startswith("#"):
            continue
        elif not colon or not includes.split() or name in headers:
            sys.exit(f"{table}:{number}: expected a header that is not in the table yet, and what it includes, found: {line}")
        else:
            headers[name] = text_of(note, includes.split())
    return headers


def main(table, folder):
    headers = headers_of(table)
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        if str(path.relative_to(folder)) not in headers:
            path.unlink()
    for name, text in headers.items():
        path = folder / name
        if not path.is_file() or path.read_text() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("header_aliases.py: expected TABLE FOLDER")
    main(*map(pathlib.Path, sys.argv[1:]))
