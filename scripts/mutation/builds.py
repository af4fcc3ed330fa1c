"""The copy of a tree in which the mistakes are, and its build."""
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess

from mutation import places, python_places, rewrite

HERE = pathlib.Path(__file__).resolve().parent
ERROR = re.compile(r"^(/[^:\n]+):(\d+):\d+: (?:fatal )?error:", re.MULTILINE)
INCLUDE = re.compile(r'^#include "(.*)"', re.MULTILINE)
MOST_BUILDS = 10
# ---- This project's kernels ----
KERNELS = "device/cpu/kernel_headers/"
# Kernels include these, and so do hosts.
SHARED = ("device/kernel_abi/", "api/include/hostdevcommon/", "api/include/tt-metalium/constants.hpp")
FIRST_OF_KERNELS = 1 << 15  # as in switch.h
# Gives kernels the switch: a file, a line of it, and the line that replaces it.
KERNEL_SWITCH = ("device/cpu/compiler/clang.cc", b"  if (settings.check_uninitialized) flags.push_back(",
                 b"  flags.push_back(::lightmetal_mutation::kernel_define()); if (settings.check_uninitialized) flags.push_back(")
# The wrapper of a kernel defines these. A kernel header that is parsed alone needs them.
KERNEL_FLAGS = ["-x", "c++", "-std=gnu++20", "-fms-extensions", "-DKERNEL_BUILD=1", "-DL1_ALIGNMENT=16", "-DDRAM_ALIGNMENT=32", "-DARCH_WORMHOLE=1",
                "-DIS_NOT_POW2_NUM_DRAM_BANKS=1", "-DNOC_INDEX=0", "-DLIGHTMETAL_CB_FORMATS=DataFormat(0)", "-DLIGHTMETAL_CB_TILE_ROWS=32",
                "-DLIGHTMETAL_CB_TILE_COLUMNS=32"]
KERNEL_KINDS = [["-DCOMPILE_FOR_BRISC=1", "-include", "dataflow_api.h"],
                ["-DCOMPILE_FOR_TRISC=1", "-DTRISC_UNPACK=1", "-DTRISC_MATH=1", "-DTRISC_PACK=1", "-include", "compute_kernel_api.h"],
                ["-DCOMPILE_FOR_ERISC=1", "-include", "dataflow_api.h", "-include", "ethernet/dataflow_api.h"]]


def is_in_kernels(name):
    return name.startswith((KERNELS, *SHARED))


def language_of(name):
    return rewrite.PYTHON if name.endswith(".py") else rewrite.KERNEL if is_in_kernels(name) else rewrite.CPP


def files_of(tree):
    listed = subprocess.run(["git", "-C", tree, "ls-files", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.splitlines() if (tree / name).is_file()]


def write_if_other(path, text):
    """Keeps the time of a file that does not change, so that it is not compiled again."""
    if not path.exists() or path.read_bytes() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)


class Copy:
    """`work`/tree is a copy of the files of `tree`, `work`/build its build by clang."""

    def __init__(self, tree, work, options):
        self.origin, self.tree, self.build = tree, work / "tree", work / "build"
        self.bring(work / "brought.json")
        write_if_other(work / "switch.h", (HERE / "switch.h").read_bytes())
        write_if_other(work / "python/lightmetal_mutation.py", (HERE / "switch.py").read_bytes())
        subprocess.run(["cmake", "-S", self.tree, "-B", self.build, "-G", "Ninja", "-DCMAKE_CXX_COMPILER=clang++-14", "-DCMAKE_BUILD_TYPE=Release",
                        "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", f"-DCMAKE_CXX_FLAGS=-w -include {work}/switch.h", *options], check=True, stdout=subprocess.DEVNULL)
        self.generate()
        table = self.tree / KERNELS / "header_table.txt"
        if table.is_file():
            subprocess.run([self.tree / "cmake/kernel_headers.py", table, work / "kernel_headers"], check=True)
        self.flags = {}  # by source
        for entry in json.loads((self.build / "compile_commands.json").read_text()):
            words = flags_of(shlex.split(entry["command"]), entry["file"])
            unit = pathlib.Path(entry["file"])
            sources = INCLUDE.findall(unit.read_text()) if "/Unity/" in entry["file"] else [entry["file"]]
            for source in sources:
                self.flags.setdefault(source, words)

    def bring(self, record):
        """Brings the files that changed since the last time, of which `record` has the digests. The others keep their mistakes, so that a
        second run with the same mistakes compiles nothing."""
        digests = {name: hashlib.sha256((self.origin / name).read_bytes()).hexdigest() for name in files_of(self.origin)}
        before = json.loads(record.read_text()) if record.is_file() else {}
        for name in [name for name in digests if digests[name] != before.get(name) or not (self.tree / name).is_file()]:
            write_if_other(self.tree / name, (self.origin / name).read_bytes())
        for name in digests:
            shutil.copymode(self.origin / name, self.tree / name)
        for name in before.keys() - digests.keys():
            (self.tree / name).unlink(missing_ok=True)
        record.write_text(json.dumps(digests))

    def generate(self):
        """Makes the files that custom commands make: sources may include them."""
        listed = subprocess.run(["ninja", "-C", self.build, "-t", "targets", "all"], capture_output=True, text=True, check=True).stdout
        made = re.findall(r"^(\S+\.(?:h|hpp|inc|cc)): CUSTOM_COMMAND$", listed, re.MULTILINE)
        if made:
            subprocess.run(["ninja", "-C", self.build, *made], check=True, stdout=subprocess.DEVNULL)

    def places_of(self, name):
        """The places of a source. Throws ValueError if it cannot be read."""
        text = (self.origin / name).read_bytes()
        if name.endswith(".py"):
            return python_places.places_of(text)
        problems = []
        for flags in self.flags_for(name):
            try:
                return places.places_of(self.tree / name, text, flags)
            except ValueError as problem:
                problems.append(problem)
        raise problems[0]

    def flags_for(self, name):
        """The ways to compile a source; for a header, the way of a source of its folder, or of the folder above."""
        path = self.tree / name
        if name.startswith(KERNELS):
            headers = ["-I", str(self.tree / KERNELS), "-I", str(self.tree.parent / "kernel_headers"), "-I", str(self.tree / "device/kernel_abi"),
                       "-I", str(self.tree / "api/include")]
            return [[*KERNEL_FLAGS, *headers, *kind] for kind in KERNEL_KINDS]
        if str(path) in self.flags:
            return [self.flags[str(path)]]
        for folder in path.parents:
            near = sorted(source for source in self.flags if pathlib.Path(source).is_relative_to(folder) and "/tests/" not in source)
            if near:
                return [[*self.flags[near[0]], "-x", "c++"]]
        raise ValueError(f"no source near {name} is compiled")

    def put(self, mistakes):
        """Writes the sources with the mistakes {number: (name, place)}, and all others as they were. Returns the numbers that are in."""
        by_name = {}
        for number, (name, place) in mistakes.items():
            by_name.setdefault(name, {})[number] = place
        numbers = set()
        for name in files_of(self.origin):
            text = (self.origin / name).read_bytes()
            if name in by_name:
                changed, inside = rewrite.rewritten(text.decode("latin-1"), by_name[name], language_of(name))
                text, numbers = changed.encode("latin-1"), numbers | inside
            if name == KERNEL_SWITCH[0]:
                if text.count(KERNEL_SWITCH[1]) != 1:
                    raise RuntimeError(f"{name}: expected one line for the switch of kernels: {KERNEL_SWITCH[1].decode()}")
                text = text.replace(*KERNEL_SWITCH[1:])
            write_if_other(self.tree / name, text)
        return numbers

    def compile(self, mistakes, report):
        """Builds with the mistakes. Takes out what does not compile. Returns the mistakes that are in the build."""
        for attempt in range(MOST_BUILDS):
            numbers = self.put(mistakes)
            mistakes = {number: mistake for number, mistake in mistakes.items() if number in numbers}
            report(f"build {attempt + 1}, {len(mistakes)} mistakes", True)
            built = subprocess.run(["ninja", "-C", self.build, "-k", "0"], capture_output=True, text=True)
            if built.returncode == 0:
                return mistakes
            bad = self.named(ERROR.findall(built.stdout), mistakes)
            if not bad:
                raise RuntimeError(f"the build fails, and not at a mistake:\n{built.stdout[-5000:]}")
            for number in bad:
                name, place = mistakes.pop(number)
                report(f"does not compile: {name}:{place.line}: {place.kind}", True)
        raise RuntimeError(f"the build still fails after {MOST_BUILDS} attempts")

    def named(self, errors, mistakes):
        """The mistakes of the lines with errors. If such a line has none, those of the nearest line of the file that has."""
        bad = set()
        for path, line in set(errors):
            name = os.path.relpath(path, self.tree)
            distances = {number: abs(place.line - int(line)) for number, (other, place) in mistakes.items() if other == name}
            bad |= {number for number, distance in distances.items() if distance == min(distances.values())}
        return bad


def flags_of(words, source):
    """The words of a compiler's command that say how to read a source."""
    flags, skip = [], 0
    for word, after in zip(words, [*words[1:], ""]):
        if skip:
            skip -= 1
        elif word in ("-o", "-MF", "-MT", "-MQ"):
            skip = 1
        elif word == "-Xclang":
            skip = 3 if after in ("-include-pch", "-include") else 1
        elif word not in ("-c", "-MD", "-Winvalid-pch", source) and not word.endswith(("clang++-14", "clang++", "ccache")):
            flags.append(word)
    return flags
