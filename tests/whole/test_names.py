#!/usr/bin/env python3
"""Says which names of tests change from run to run, as those do that have an address in them. Usage: test_names.py PROGRAMS

PROGRAMS is a file with the path of a GoogleTest program on each line. Each that is built lists its tests twice, in processes whose memory
lies elsewhere. A name is what CTest has: without the value of the parameter, which GoogleTest lists after a #.
"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys

ADDRESS = re.compile(r"\b0x[0-9a-f]{9,}\b")  # longer than what device addresses and masks need


def listed(program):
    lines = subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout.splitlines()
    return [name_in(line) for line in lines]


def name_in(line):
    return line.split("#")[0].rstrip()


def changing(first, second):
    """The lines that differ, or have an address that only by chance is the same again."""
    found = [f"{a.strip()} becomes {b.strip()}" for a, b in zip(first, second) if a != b]
    found += [line.strip() for line in first if ADDRESS.search(line) and line in second]
    return found + ([] if len(first) == len(second) else ["the number of tests"])


def of_program(program):
    first = listed(program)
    if not any(line.startswith("  ") for line in first):
        return [f"{program}: lists no tests"]
    return [f"{program}: {line}" for line in changing(first, listed(program))]


def self_test():
    plain = ["Suite.", "  Test/Of0x40000000"]
    assert changing(plain, plain) == []
    for other in (["Suite.", "  Test/Of0x40000001"], plain[:1]):
        assert changing(plain, other), other
    pointer = ["Suite.", "  Test/0x55d0c0ffee10"]
    assert changing(pointer, pointer)
    assert name_in("  Test/0  # GetParam() = 0x55d0c0ffee10") == "  Test/0"


def main():
    self_test()
    programs = [line for line in pathlib.Path(sys.argv[1]).read_text().split() if pathlib.Path(line).exists()]
    if not programs:
        sys.exit("no test program is built")
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = [line for lines in pool.map(of_program, programs) for line in lines]
    print("\n".join(found) if found else f"{len(programs)} programs: no name of a test changes")
    sys.exit(1 if found else 0)


main()
