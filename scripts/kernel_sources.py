"""What scripts/outside_kernels and scripts/kernels_of_today share: which sources below a folder are kernels, for which processor, what every
kernel gets from its host program, and what a compiler's messages come to.
"""
import re

KERNEL = re.compile(r"\bvoid\s+(kernel_main\s*\(|MAIN\b)")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
COMPILE_TIME_ARGS = 100
BFLOAT16 = "5"
DRAM_PAGES = "0xA0000102"  # TensorAccessorArgs of an interleaved buffer in DRAM


def own_text(path):
    return COMMENT.sub(" ", path.read_text(errors="replace"))


def processor_of(path, text):
    if re.search(r"\bMAIN\b|compute_kernel_api|api/compute/", text) or "/compute/" in path:
        return "compute"
    if re.search(r"\beth_|erisc|ethernet", text, re.I):
        return "ethernet"
    return "writer" if "writer" in path.rsplit("/", 1)[-1] else "reader"


def first_accessor(text):
    """The index of the first compile-time argument that a TensorAccessorArgs of the text reads; their host programs put these last."""
    indices = [COMPILE_TIME_ARGS]
    for index in re.findall(r"\bTensorAccessorArgs<\s*(\w+)\s*[,>]", text):
        named = re.search(rf"\b{index}\s*=\s*(\d+)\s*;", text)
        indices += [int(number) for number in (index, named and named.group(1)) if number and number.isdigit()]
    return min(indices)


def kernels_below(folder, match):
    """The name of each kernel whose path below the folder matches, and its text without comments."""
    for path in sorted([*folder.rglob("*.cpp"), *folder.rglob("*.cc")]):
        name = path.relative_to(folder).as_posix()
        if match.search(name):
            text = own_text(path)
            if KERNEL.search(text):
                yield name, text


def first_error(messages):
    for line in messages.splitlines():
        found = re.search(r"(?:fatal )?error: (.*)", line)
        if found:
            return re.sub(r"^.*/", "", line.split(": ")[0]) + ": " + found.group(1)
    return messages.strip().splitlines()[-1] if messages.strip() else "no message"
