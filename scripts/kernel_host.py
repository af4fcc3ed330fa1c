"""What the host program of a kernel of the ttnn package gives it, for scripts/kernels_of_today: read from the package's program factories
where there are any, else from the table that all kernels share and, for names of 2026, the one below.
"""
import re

from kernel_bindings import CIRCULAR_BUFFERS, is_buffer
from kernel_sources import COMPILE_TIME_ARGS, DEFINES, DRAM_PAGES, KERNEL, first_accessor

# By path: defines, compile-time arguments under their index, named ones as "args::NAME". The last match of a name wins.
REDUCE = {"REDUCE_OP": "PoolType::SUM", "REDUCE_DIM": "ReduceDim::REDUCE_ROW"}
TABLE = [
    (r".", {"SFPU_OP_CHAIN_0": "", "EXP_APPROX": "0", "EXP_APPROX_MODE": "0"}),
    (r"reduce|moreh_(dot|mean|sum)|pool|bilinear|softmax|norm", REDUCE),
    (r"bcast", {"CHAIN_BCAST_OP": "compute_kernel_lib::BinaryFpuOp::Add", "BCAST_LLKOP": "EltwiseBinaryType::ELWADD"}),
    (r"where", {"WHERE_DATA_FORMAT": "Float32"}),
]

DEFINE_FORMS = [re.compile(r'\w*[dD]efines\w*\[\s*"(\w+)"\s*\]\s*=\s*"([^"]*)"'),
                re.compile(r'\{\s*"([A-Z][A-Z0-9_]+)"\s*,\s*"([^"]*)"\s*\}'),
                re.compile(r'emplace(?:_back)?\(\s*"([A-Z][A-Z0-9_]+)"\s*,\s*"([^"]*)"\s*\)')]
POSITIONAL_BUFFER = re.compile(r"(\w+)\s*=\s*get_compile_time_arg_val\(\s*(\d+)\s*\)")
RUNTIME_NAMES = re.compile(r"runtime_arg_names\s*=\s*\{([^}]*)\}")


class Factories:
    """The sources of a package that are no kernels, by the names of the kernel files that they mention."""

    def __init__(self, folder, sources):
        self.sources = sources
        self.by_kernel = {}
        for path in sorted([*folder.rglob("*.cpp"), *folder.rglob("*.hpp")]):
            text = sources.text(path)
            if not KERNEL.search(text):
                for name in set(re.findall(r"([\w.]+\.cpp)\"", text)):
                    self.by_kernel.setdefault(name, []).append(path)

    def texts(self, kernel):
        return [self.sources.text(path) for path in self.by_kernel.get(kernel.rsplit("/", 1)[-1], [])]

    def runtime_names(self, kernel):
        return {name for text in self.texts(kernel) for names in RUNTIME_NAMES.findall(text) for name in re.findall(r'"(\w+)"', names)}

    def defines(self, kernel, text):
        """Those with a written value which the kernel uses as more than a condition."""
        used = re.sub(r"^\s*#\s*(if|ifdef|ifndef|elif)\b.*$", "", text, flags=re.M)
        own = set(re.findall(r"#\s*define\s+(\w+)", text))
        found = {}
        for factory in self.texts(kernel):
            for form in DEFINE_FORMS:
                for name, value in form.findall(factory):
                    if name not in own and re.search(rf"\b{name}\b", used):
                        found.setdefault(name, value)
        return found


def given_by_host(kernel, text, factories, metal_2):
    """The defines, the compile-time arguments, and the values of arguments by name of a kernel. `text` is its own and its headers'."""
    first = 0 if metal_2 else first_accessor(text)
    found = {index: str(int(index) % CIRCULAR_BUFFERS) for name, index in POSITIONAL_BUFFER.findall(text) if is_buffer(name)}
    found.update({str(i): DRAM_PAGES for i in range(first, COMPILE_TIME_ARGS)})
    for pattern, values in DEFINES:
        if re.search(pattern, kernel):
            found.update(values)
    found.update(factories.defines(kernel, text))
    for pattern, values in TABLE:
        if re.search(pattern, kernel):
            found.update(values)
    args = [found.pop(str(i), "1") for i in range(COMPILE_TIME_ARGS)]
    named = {name.removeprefix("args::"): found.pop(name) for name in list(found) if name.startswith("args::")}
    return found, args, named
