#!/usr/bin/env python3
"""Generates the kernel headers of a table (device/cpu/kernel_headers/header_table.txt, which explains its rows).

  cmake/kernel_headers.py TABLE FOLDER

Afterwards FOLDER holds these headers and nothing else. Exit code 1 and one sentence if a row is wrong.
"""
import pathlib
import re
import shutil
import sys

KERNEL = "lightmetal::kernel"
# For each service: the tiles that its functions name first, and the beginning of its call, up to the operation's name.
SERVICES = {
    "unary": ("idst", f"{KERNEL}::sfpu_unary({KERNEL}::UnaryOp::"),
    "integer_unary": ("idst", f"{KERNEL}::sfpu_integers({KERNEL}::IntegerUnaryOp::"),
    "binary": ("idst0, idst1, odst", f"{KERNEL}::sfpu_binary({KERNEL}::SfpuBinaryOp::"),
    "integer_binary": ("idst0, idst1, odst", f"{KERNEL}::sfpu_integers({KERNEL}::IntegerBinaryOp::"),
    "ternary": ("idst0, idst1, idst2, odst", f"{KERNEL}::sfpu().ternary({KERNEL}::context(), {KERNEL}::SfpuTernaryOp::"),
}
UNARY_SCALARS = 3
HEADER = """#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

{note}namespace ckernel {{

{functions}
}}  // namespace ckernel
"""
REFUSED = """template <auto... modes, typename... Arguments>
[[gnu::error("refused: {name}: {why}")]] void {name}(Arguments...);
"""


class WrongRow(Exception):
    pass


# ---- Functions ----

def function(name, parameters, body):
    """A name that ends with <> is a template that takes any arguments and ignores them."""
    template = "template <auto... modes>\n" if name.endswith("<>") else ""
    return f"{template}ALWI void {name.removesuffix('<>')}({parameters}) {{{body}}}\n"


def operands_of(service, operands):
    """The parameters and the arguments that operands become, each after those of the tiles."""
    parameters = arguments = ""
    for place, operand in enumerate(operands):
        if operand == "vector_mode":
            parameters += ", int vector_mode = VectorMode::RC"
            # A unary operation has scalars before it, which are 0 if they are not given.
            arguments += ", 0" * (UNARY_SCALARS - place) if service == "unary" else ""
            arguments += f", {KERNEL}::vectors_of(vector_mode)"
        elif operand == "data_format":
            arguments += f", {KERNEL}::integer_mask(data_format)"
        elif operand.startswith("="):
            arguments += f", {operand[1:]}"
        else:
            parameters += f", uint32_t {operand}"
            arguments += f", {operand}"
    return parameters, arguments


def operation(name, service, operator, operands):
    """A function that has a service do an operation. The result of two tiles goes into the first if no third is named."""
    if service not in SERVICES:
        raise WrongRow(f"no service {service}")
    tiles, call = SERVICES[service]
    parameters, arguments = operands_of(service, operands)
    body = f"\n  {call}{operator}, {tiles}{arguments});\n"
    if "|" in operator:
        signed, unsigned = (f"{KERNEL}::IntegerBinaryOp::{each}" for each in operator.split("|"))
        body = f"\n  {KERNEL}::sfpu_integers({KERNEL}::by_sign<data_format>({signed}, {unsigned}), {tiles}{arguments});\n"
    has_format = "data_format" in operands
    if has_format:
        body = f'\n  static_assert({KERNEL}::is_integer(data_format), "{name} takes whole numbers");{body}'
    text = "template <DataFormat data_format>\n" if has_format else ""
    text += function(name, f"uint32_t {tiles.replace(', ', ', uint32_t ')}{parameters}", body)
    if tiles == "idst0, idst1, odst" and not has_format:
        text += function(name, "uint32_t idst0, uint32_t idst1", f" {name.removesuffix('<>')}(idst0, idst1, idst0); ")
    return text


def row(words):
    """INITIALISER NAME [SERVICE OPERATION OPERANDS...]"""
    initialiser, name, *rest = words
    text = ""
    if initialiser in ("init", "init<>"):
        text = function(name.removesuffix("<>") + "_init" + initialiser.removeprefix("init"), "", "")
    elif initialiser != "-" or not rest:
        raise WrongRow("a row begins with init, init<> or |, or with - where it names a service")
    if len(rest) == 1:
        raise WrongRow("a service without an operation")
    if rest and rest[0] == "calls":
        parameters, arguments = operands_of("calls", rest[2:])
        return text + function(name, f"uint32_t idst{parameters}", f" {rest[1]}(idst{arguments}); ")
    return text + (operation(name, rest[0], rest[1], rest[2:]) if rest else "")


# ---- Headers ----

class Headers:
    """The headers of a table by name, as its lines are read."""

    def __init__(self):
        self.texts = {}
        self.name = None  # of the header whose rows are being read
        self.begin(None)

    def begin(self, name):
        """Ends the header that is being read, and begins another one."""
        if self.name is not None:
            self.add(self.name, HEADER.format(note=self.note, functions=self.functions))
        self.name, self.note, self.functions = name, "", ""

    def add(self, name, text):
        if name in self.texts:
            raise WrongRow(f"a second header {name}")
        self.texts[name] = "#pragma once\n\n" + text

    def forward(self, name, others):
        folder = pathlib.PurePosixPath(name).parent
        text = ""
        for other in others:
            other = str(folder / other[2:]) if other.startswith("./") else other
            pattern = re.compile(re.escape(other).replace(r"\*", "[^/]*"))
            found = sorted(filter(pattern.fullmatch, self.texts)) if "*" in other else [other]
            text += "".join(f"#include <{each}>\n" for each in found)
        self.add(name, text)

    def read(self, line):
        words = line.split()
        if not words or line.startswith("#"):
            return
        if words[0] == "header" and len(words) == 2 and not line.startswith(" "):
            self.begin(words[1])
        elif line.startswith("note "):
            self.note = f"// {line.removeprefix('note ')}\n"
        elif line.startswith("forward "):
            self.begin(None)
            self.forward(words[1], words[2:])
        elif line.startswith("  | "):
            self.functions += line.removeprefix("  | ") + "\n"
        elif self.name is not None and line.startswith("  refused "):
            self.functions += REFUSED.format(name=words[1], why=" ".join(words[2:]))
        elif self.name is not None and line.startswith("  ") and len(words) > 1:
            self.functions += row(words)
        else:
            raise WrongRow("neither a header, a forward nor a row of a header")


def main(table, folder):
    headers = Headers()
    line = ""
    try:
        for line in table.read_text().splitlines():
            headers.read(line)
        headers.begin(None)
    except WrongRow as error:
        sys.exit(f"{table}: {error}: {line}")
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in headers.texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("kernel_headers.py: expected TABLE FOLDER")
    main(*map(pathlib.Path, sys.argv[1:]))
