"""lightmetal.h in ctypes: its structures, its functions, and its errors as exceptions."""
from __future__ import annotations

import ctypes
import os
import pathlib
import threading
import weakref
from typing import Any

from ._errors import BY_STATUS, Error, FailedPreconditionError


class CTensor(ctypes.Structure):
    """lm_tensor"""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("role", ctypes.c_uint32),
        ("dtype", ctypes.c_uint32),
        ("shape", ctypes.POINTER(ctypes.c_uint32)),
        ("rank", ctypes.c_size_t),
        ("size", ctypes.c_uint64),
    ]


class COperand(ctypes.Structure):
    """lm_operand"""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("tensor", ctypes.c_void_p),
        ("dtype", ctypes.c_uint32),
        ("shape", ctypes.POINTER(ctypes.c_uint32)),
        ("rank", ctypes.c_size_t),
        ("data", ctypes.c_void_p),
        ("size", ctypes.c_size_t),
    ]


class CLoadOptions(ctypes.Structure):
    """lm_load_options"""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("backend", ctypes.c_char_p),
        ("chip_id", ctypes.POINTER(ctypes.c_uint32)),
        ("required_keys", ctypes.POINTER(ctypes.c_char_p)),
        ("required_key_count", ctypes.c_size_t),
        ("memory_limit", ctypes.c_uint64),
        ("allow_incomplete", ctypes.c_int32),
        ("device", ctypes.c_void_p),
    ]


_Executable = ctypes.c_void_p
_Device = ctypes.c_void_p
_DeviceTensor = ctypes.c_void_p
_Error = ctypes.c_void_p
_ErrorOut = ctypes.POINTER(_Error)

# What each function returns, and what it takes.
_FUNCTIONS = {
    "lm_version": (ctypes.c_char_p, []),
    "lm_error_message": (ctypes.c_char_p, [_Error]),
    "lm_free_error": (None, [_Error]),
    "lm_load_file": (ctypes.c_uint32, [ctypes.c_char_p, ctypes.POINTER(CLoadOptions), ctypes.POINTER(_Executable), _ErrorOut]),
    "lm_load_memory": (
        ctypes.c_uint32,
        [ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(CLoadOptions), ctypes.POINTER(_Executable), _ErrorOut],
    ),
    "lm_free_executable": (None, [_Executable]),
    "lm_open_device_file": (ctypes.c_uint32, [ctypes.c_char_p, ctypes.POINTER(CLoadOptions), ctypes.POINTER(_Device), _ErrorOut]),
    "lm_open_device_memory": (
        ctypes.c_uint32,
        [ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(CLoadOptions), ctypes.POINTER(_Device), _ErrorOut],
    ),
    "lm_free_device": (None, [_Device]),
    "lm_stat_count": (ctypes.c_size_t, []),
    "lm_get_stat": (
        ctypes.c_uint32,
        [_Device, ctypes.c_size_t, ctypes.POINTER(ctypes.c_char_p), ctypes.POINTER(ctypes.c_uint64), _ErrorOut],
    ),
    "lm_make_tensor": (ctypes.c_uint32, [_Executable, ctypes.c_char_p, ctypes.POINTER(_DeviceTensor), _ErrorOut]),
    "lm_free_tensor": (None, [_DeviceTensor]),
    "lm_write_tensor": (ctypes.c_uint32, [_DeviceTensor, ctypes.c_void_p, ctypes.c_size_t, _ErrorOut]),
    "lm_read_tensor": (ctypes.c_uint32, [_DeviceTensor, ctypes.c_void_p, ctypes.c_size_t, _ErrorOut]),
    "lm_entry_count": (ctypes.c_size_t, [_Executable]),
    "lm_entry_name": (ctypes.c_char_p, [_Executable, ctypes.c_size_t]),
    "lm_tensor_count": (ctypes.c_size_t, [_Executable]),
    "lm_get_tensor": (ctypes.c_uint32, [_Executable, ctypes.c_size_t, ctypes.POINTER(CTensor), _ErrorOut]),
    "lm_run_operands": (
        ctypes.c_uint32,
        [_Executable, ctypes.c_char_p, ctypes.POINTER(COperand), ctypes.c_size_t, ctypes.POINTER(COperand), ctypes.c_size_t, _ErrorOut],
    ),
}


def _open() -> ctypes.CDLL:
    library = ctypes.CDLL(str(pathlib.Path(__file__).with_name("liblightmetal.so")))
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


class ProcessLock:
    """A lock of the process that made it. In a forked child, where no thread would ever let go of it, taking it raises an error."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process = os.getpid()

    def is_here(self) -> bool:
        return os.getpid() == self._process

    def __enter__(self) -> None:
        if not self.is_here():
            raise FailedPreconditionError("this was opened before the process was forked: open it in the process that uses it")
        self._lock.acquire()

    def __exit__(self, *_: Any) -> None:
        self._lock.release()


#: The library that lies beside this file. Its functions run without Python's lock.
library = _open()


def freed_with(owner: object, free: Any, handle: ctypes.c_void_p) -> weakref.finalize:
    """What frees a handle when it is called, or else with its owner. At the interpreter's end the handle stays: threads may still use it."""
    frees = weakref.finalize(owner, free, handle)
    frees.atexit = False
    return frees


def version() -> str:
    return text_of(library.lm_version())


def text_of(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")


def bytes_of(text: str) -> bytes:
    """The reverse of text_of."""
    return text.encode("utf-8", "surrogateescape")


def call(name: str, *arguments: Any) -> None:
    """Calls a function that returns an lm_status, and raises its error."""
    error = _Error()
    status = getattr(library, name)(*arguments, ctypes.byref(error))
    if status == 0:
        return
    message = text_of(library.lm_error_message(error))
    library.lm_free_error(error)
    raise BY_STATUS.get(status, Error)(message or "out of memory")
