#!/usr/bin/env python3
"""What the compiler says of values that do not fit: each error names the field in one line.

Usage: record_messages.py SOURCE_FOLDER BUILD_FOLDER CXX
"""
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE, BUILD, CXX = sys.argv[1:]
BEGIN = """#include "capture/record.h"
using namespace lightmetal::capture;
void program(ObjectOf<Kind::Device> device, ObjectOf<Kind::Event> event, ObjectOf<Kind::Trace> trace) {
"""
# GCC and clang print the message of a static_assert in different ways.
FAILED = re.compile(r'error: static[_ ]assert.* failed.*?(record<[^"]*)')
QUEUE = "static_cast<uint8_t>(0)"
# A line, and the errors that it gives.
LINES = [
    (f"record<lightmetal::schema::EnqueueTrace>(device, {QUEUE}, trace, true)", []),
    (f"record<lightmetal::schema::EnqueueTrace>(device, {QUEUE}, event, true)",
     ["record<EnqueueTrace>: value 3 must be of kind Trace (field trace)"]),
    (f"record<lightmetal::schema::EnqueueTrace>(trace, {QUEUE}, device, true)",
     ["record<EnqueueTrace>: value 1 must be of kind Device (field device)", "record<EnqueueTrace>: value 3 must be of kind Trace (field trace)"]),
    ("record<lightmetal::schema::EnqueueTrace>(device, 0, trace, true)",
     ["record<EnqueueTrace>: value 2 must fit the field cq"]),
    (f"record<lightmetal::schema::EnqueueTrace>(device, {QUEUE}, trace)",
     ["record<EnqueueTrace>: expected 4 values: device, cq, trace, blocking"]),
    ("record_if_known<lightmetal::schema::EventSynchronize>(trace)",
     ["record<EventSynchronize>: value 1 must be of kind Event (field event)"]),
]


with tempfile.TemporaryDirectory() as folder:
    source = pathlib.Path(folder, "program.cc")
    source.write_text(BEGIN + "".join(f"{line};\n" for line, _ in LINES) + "}\n")
    command = [CXX, "-std=c++20", "-fsyntax-only", "-DLIGHTMETAL_ENABLE_CAPTURE", f"-I{SOURCE}", f"-I{BUILD}/generated", source]
    said = subprocess.run(command, capture_output=True, text=True).stderr
errors = [failed[1] if (failed := FAILED.search(line)) else line for line in said.splitlines() if " error: " in line]
expected = [error for _, of_line in LINES for error in of_line]
if errors != expected:
    sys.exit(f"expected {expected}\nfound {errors}")
print(len(LINES), "lines")
