"""Files, and how they are loaded."""
from __future__ import annotations

import ctypes
import os
from typing import Sequence, Union

import numpy as np

from ._errors import InvalidArgumentError
from ._library import CLoadOptions, bytes_of, call

#: A path, or what a file holds.
Source = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview]


def load_options(
    backend: str | None = None,
    chip_id: int | None = None,
    required_keys: Sequence[str] = (),
    memory_limit: int | None = None,
    allow_incomplete: bool = False,
) -> CLoadOptions:
    keys = (ctypes.c_char_p * len(required_keys))(*(bytes_of(key) for key in required_keys))
    chip = None if chip_id is None else ctypes.pointer(ctypes.c_uint32(_chip_number(chip_id)))
    return CLoadOptions(
        struct_size=ctypes.sizeof(CLoadOptions),
        backend=None if backend is None else os.fsencode(backend),
        chip_id=chip,
        required_keys=keys if required_keys else None,
        required_key_count=len(required_keys),
        memory_limit=memory_limit or 0,
        allow_incomplete=1 if allow_incomplete else 0,
    )


def load_source(function: str, source: Source, options: CLoadOptions) -> ctypes.c_void_p:
    """What the library's functions of that name, with _file and _memory behind it, hand out."""
    handle = ctypes.c_void_p()
    if isinstance(source, (bytes, bytearray, memoryview)):
        content = np.frombuffer(source, dtype=np.uint8)
        call(f"{function}_memory", content.ctypes.data, content.size, ctypes.byref(options), ctypes.byref(handle))
    else:
        call(f"{function}_file", _path(source), ctypes.byref(options), ctypes.byref(handle))
    return handle


def _chip_number(chip_id: int) -> int:
    if not 0 <= chip_id < 2**31:
        raise InvalidArgumentError(f"there is no chip {chip_id}")
    return chip_id


def _path(source: str | os.PathLike[str]) -> bytes:
    path = os.fsencode(source)
    if b"\0" in path:
        raise InvalidArgumentError(f"the path {source!r} has a null character")
    return path
