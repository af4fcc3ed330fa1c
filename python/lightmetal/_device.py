"""Devices that several executables share."""
from __future__ import annotations

import ctypes
from types import TracebackType
from typing import Dict, Sequence, Type

from ._errors import InvalidArgumentError
from ._executable import Executable
from ._library import ProcessLock, call, freed_with, library, text_of
from ._loading import Source, load_options, load_source


def open_device(
    source: Source,
    device: str | None = None,
    *,
    chip_id: int | None = None,
    required_keys: Sequence[str] = (),
    memory_limit: int | None = None,
    allow_incomplete: bool = False,
) -> Device:
    """Opens the device that a file was captured on first, for that and others: `Device.load` loads them. The options are those of `load`."""
    options = load_options(device, chip_id, required_keys, memory_limit, allow_incomplete)
    return Device(load_source("lm_open_device", source, options))


class Device:
    """A device that executables share; `open_device` makes it. It is closed with the last of its executables and tensors.

    Buffers lie on a device where they were captured: files that are to share one are captured with different LIGHTMETAL_ALLOCATOR_OFFSET,
    and loaded before there are tensors. Threads may share it; runs of its executables follow one another.
    """

    def __init__(self, handle: ctypes.c_void_p) -> None:
        self._handle = handle
        self._lock = ProcessLock()
        self._close = freed_with(self, library.lm_free_device, handle)

    def load(
        self,
        source: Source,
        *,
        required_keys: Sequence[str] = (),
        memory_limit: int | None = None,
        allow_incomplete: bool = False,
    ) -> Executable:
        """Loads a captured program beside others, as `lightmetal.load` does.

        Raises `FailedPreconditionError` where something lies already in its place.
        """
        options = load_options(required_keys=required_keys, memory_limit=memory_limit, allow_incomplete=allow_incomplete)
        with self._lock:
            options.device = self._open_handle()
            return Executable(load_source("lm_load", source, options))

    @property
    def stats(self) -> Dict[str, int]:
        """What has been moved since the device was opened: "host_to_device_bytes", "device_to_host_bytes", "device_copies", ..."""
        stats: Dict[str, int] = {}
        name, value = ctypes.c_char_p(), ctypes.c_uint64()
        with self._lock:
            for index in range(library.lm_stat_count()):
                call("lm_get_stat", self._open_handle(), index, ctypes.byref(name), ctypes.byref(value))
                stats[text_of(name.value or b"")] = value.value
        return stats

    def _open_handle(self) -> ctypes.c_void_p:
        if not self._close.alive:
            raise InvalidArgumentError("the device is closed")
        return self._handle

    def close(self) -> None:
        """Lets go of the device: nothing more is loaded there. What is there lives on. Closing again does nothing."""
        if not self._lock.is_here():
            return  # in a forked child all of it is the parent's
        with self._lock:
            self._close()

    def __enter__(self) -> Device:
        return self

    def __exit__(self, kind: Type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<lightmetal.Device{'' if self._close.alive else ' closed'}>"
