"""Files that are loaded once and run many times."""
from __future__ import annotations

import ctypes
import os
import threading
import weakref
from types import TracebackType
from typing import Any, Dict, Iterable, Mapping, Sequence, Tuple, Type

import numpy as np

from ._errors import InvalidArgumentError, NotFoundError
from ._library import CLoadOptions, CTensor, CValues, bytes_of, call, library, text_of
from ._tensors import Output, Tensor, dtype_number, input_memory, make_tensor


def load(
    source: str | os.PathLike[str] | bytes | bytearray | memoryview,
    device: str | None = None,
    *,
    chip_id: int | None = None,
    required_keys: Sequence[str] = (),
    memory_limit: int | None = None,
    allow_incomplete: bool = False,
) -> Executable:
    """Loads a captured program: a path, or what a file holds as bytes.

    `device` is the backend: "cpu", "null" or the path of a library; None for the recorded one. A chip holds one executable: `chip_id` gives
    each of several a chip of its own. `required_keys` are texts of public key files (`lightmetal_runner keygen`), by one of which the file
    must be signed. `memory_limit` is how much the file may claim on the host, in bytes (64 GiB). With `allow_incomplete` a file whose capture
    was cut short is loaded as far as it goes.

    Raises an `Error` that says what is wrong.
    """
    keys = (ctypes.c_char_p * len(required_keys))(*(bytes_of(key) for key in required_keys))
    chip = None if chip_id is None else ctypes.pointer(ctypes.c_uint32(_chip_number(chip_id)))
    options = CLoadOptions(
        struct_size=ctypes.sizeof(CLoadOptions),
        backend=None if device is None else os.fsencode(device),
        chip_id=chip,
        required_keys=keys if required_keys else None,
        required_key_count=len(required_keys),
        memory_limit=memory_limit or 0,
        allow_incomplete=1 if allow_incomplete else 0,
    )
    handle = ctypes.c_void_p()
    if isinstance(source, (bytes, bytearray, memoryview)):
        content = np.frombuffer(source, dtype=np.uint8)
        call("lm_load_memory", content.ctypes.data, content.size, ctypes.byref(options), ctypes.byref(handle))
    else:
        call("lm_load_file", _path(source), ctypes.byref(options), ctypes.byref(handle))
    return Executable(handle)


def _chip_number(chip_id: int) -> int:
    if not 0 <= chip_id < 2**31:
        raise InvalidArgumentError(f"there is no chip {chip_id}")
    return chip_id


def _path(source: str | os.PathLike[str]) -> bytes:
    path = os.fsencode(source)
    if b"\0" in path:
        raise InvalidArgumentError(f"the path {source!r} has a null character")
    return path


def _c_values(tensor: Tensor, memory: np.ndarray) -> CValues:
    """Points to the memory, which the caller keeps."""
    return CValues(
        name=bytes_of(tensor.name),
        dtype=dtype_number(tensor),
        shape=(ctypes.c_uint32 * len(tensor.shape))(*tensor.shape),
        rank=len(tensor.shape),
        data=memory.ctypes.data,
        size=memory.nbytes,
    )


def _read_tensor(handle: ctypes.c_void_p, index: int) -> Tensor:
    tensor = CTensor()
    call("lm_get_tensor", handle, index, ctypes.byref(tensor))
    return make_tensor(text_of(tensor.name), tensor.role, tensor.dtype, tuple(tensor.shape[: tensor.rank]))


class Executable:
    """A program that is loaded; `load` makes it. It holds its device until it is closed or forgotten.

    Threads may share it: their runs follow one another. Runs of different executables go on at the same time, and without Python's lock.
    """

    def __init__(self, handle: ctypes.c_void_p) -> None:
        self._handle = handle
        self._lock = threading.Lock()
        self._close = weakref.finalize(self, library.lm_free_executable, handle)
        self._entries = tuple(text_of(library.lm_entry_name(handle, i)) for i in range(library.lm_entry_count(handle)))
        tensors = [_read_tensor(handle, i) for i in range(library.lm_tensor_count(handle))]
        self._tensors = {tensor.name: tensor for tensor in tensors}

    # ---- What it has ----

    @property
    def entries(self) -> Tuple[str, ...]:
        """The parts of the program that are run by name, in the order of the file."""
        return self._entries

    @property
    def tensors(self) -> Dict[str, Tensor]:
        """Inputs, outputs and constants by their names, in the order of the file."""
        return dict(self._tensors)

    @property
    def inputs(self) -> Dict[str, Tensor]:
        """What may be given values."""
        return {name: tensor for name, tensor in self._tensors.items() if tensor.is_input}

    @property
    def outputs(self) -> Dict[str, Tensor]:
        """What a run returns."""
        return {name: tensor for name, tensor in self._tensors.items() if tensor.is_output}

    # ---- Runs ----

    def run(
        self,
        inputs: Mapping[str, Any] | None = None,
        entry: str | None = None,
        *,
        outputs: Iterable[str] | None = None,
        out: Mapping[str, np.ndarray] | None = None,
    ) -> Dict[str, np.ndarray]:
        """Runs an entry and returns its outputs by their names.

        `entry` may be None where there is only one. An input that is given no value has the one of the capture. Values are arrays of the
        tensor's dtype and shape, DLPack producers on the host, or numbers in lists. Arrays in C order are not copied. What is bfloat16 takes
        float32, rounded to nearest even, and the bfloat16 arrays of ml_dtypes; results are float32.

        `outputs` are the names of those that are wanted (all, and then those of `out`); `out` has arrays to fill, which are then in the
        result. They must not overlap inputs. An array in C order is filled as it is; for bfloat16 one of ml_dtypes' bfloat16.

        Raises `NotFoundError` for a name that there is not, and `InvalidArgumentError` for a wrong dtype or shape: nothing has been done then.
        """
        given = {self._tensor(name): value for name, value in (inputs or {}).items()}
        arrays = {tensor: input_memory(tensor, value) for tensor, value in given.items()}
        results = self._results(outputs, dict(out or {}))
        self._run(entry, [_c_values(tensor, array) for tensor, array in arrays.items()],
                  [_c_values(tensor, result.memory) for tensor, result in results.items()])
        return {tensor.name: result.finish() for tensor, result in results.items()}

    def _results(self, wanted: Iterable[str] | None, out: Dict[str, np.ndarray]) -> Dict[Tensor, Output]:
        if isinstance(wanted, str):
            raise InvalidArgumentError(f"outputs is the text {wanted!r}, expected a list of names")
        names = list(dict.fromkeys([*(self.outputs if wanted is None else wanted), *out]))
        return {self._tensor(name): Output(self._tensor(name), out.get(name)) for name in names}

    def _tensor(self, name: str) -> Tensor:
        if name not in self._tensors:
            raise NotFoundError(f'there is no tensor "{name}": there are {", ".join(self._tensors) or "none"}')
        return self._tensors[name]

    def _run(self, entry: str | None, inputs: Sequence[CValues], outputs: Sequence[CValues]) -> None:
        if entry is not None and entry not in self._entries:
            raise NotFoundError(f'there is no entry "{entry}": there are {", ".join(self._entries)}')
        name = None if entry is None else bytes_of(entry)
        c_inputs = (CValues * len(inputs))(*inputs)
        c_outputs = (CValues * len(outputs))(*outputs)
        with self._lock:
            if not self._close.alive:
                raise InvalidArgumentError("the executable is closed")
            call("lm_run", self._handle, name, c_inputs, len(inputs), c_outputs, len(outputs))

    # ---- Its end ----

    def close(self) -> None:
        """Frees the device and all that load has made, behind a run that goes on. Closing again does nothing."""
        with self._lock:
            self._close()

    def __enter__(self) -> Executable:
        return self

    def __exit__(self, kind: Type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "" if self._close.alive else " closed"
        return f"<lightmetal.Executable{state} entries={list(self._entries)} inputs={list(self.inputs)} outputs={list(self.outputs)}>"
