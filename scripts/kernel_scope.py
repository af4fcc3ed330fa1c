"""Which kernels of a ttnn package of 2026 this project means to compile, for scripts/kernels_of_today: all but those that depend on fabric, CCL,
Ethernet or sockets, by their own text or that of a header beside them, and those whose own text goes below the API.
"""
import re

from kernel_sources import own_text

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.M)
FABRIC = re.compile(r"fabric|\bccl::|\beth_|erisc|ethernet|socket|/ccl/(?!shared_with_host|kernel_common/sharding_addrgen)", re.I)
LOW_LEVEL = re.compile(r"\bTTI?_[A-Z][A-Z0-9_]+\(|\b_?llk_[a-z]+|\bsfpi::|\bvFloat\b|\bdst_reg\b|\bcfg_|\bckernel::math::"
                       r"|\bWRITE_REG\b|\breg_(read|write)\b|\bNOC_STREAM_|\bNOC_CMD_BUF|\bNOC_(WRITE|READ)_REG")


class Sources:
    """The sources of a package: text without comments, and the package's headers that a source includes, directly or not."""

    def __init__(self, home):
        self.folders = [home / "ttnn" / "cpp", home, home / "ttnn", home / "ttnn" / "cpp" / "ttnn"]
        self.texts = {}

    def text(self, path):
        if path not in self.texts:
            self.texts[path] = own_text(path)
        return self.texts[path]

    def headers(self, path):
        found = set()
        waiting = [path]
        while waiting:
            source = waiting.pop()
            for name in INCLUDE.findall(self.text(source)):
                header = self.find(name, source.parent)
                if header and header not in found:
                    found.add(header)
                    waiting.append(header)
        return found

    def find(self, name, beside):
        for folder in (beside, *self.folders):
            path = folder / name
            if path.is_file():
                path = path.resolve()
                # What lies below the API is not the kernel's own: our headers stand for it.
                return None if "/tt_metal/" in path.as_posix() else path
        return None


def reason_out_of_scope(path, sources):
    text = sources.text(path)
    if FABRIC.search(text):
        return "fabric"
    if any(FABRIC.search(sources.text(header)) for header in sources.headers(path)):
        return "fabric, by a header"
    if LOW_LEVEL.search(text):
        return "below the API"
    return ""
