"""Files that are loaded once and run many times."""
from __future__ import annotations

import ctypes
from types import TracebackType
from typing import Any, Dict, Iterable, Mapping, Sequence, Tuple, Type

import numpy as np

from ._device_tensor import DeviceTensor
from ._errors import InvalidArgumentError, NotFoundError
from ._library import COperand, CTensor, ProcessLock, bytes_of, call, freed_with, library, text_of
from ._loading import Source, load_options, load_source
from ._tensors import Output, Tensor, dtype_number, input_memory, make_tensor


def load(
    source: Source,
    device: str | None = None,
    *,
    chip_id: int | None = None,
    required_keys: Sequence[str] = (),
    memory_limit: int | None = None,
    allow_incomplete: bool = False,
) -> Executable:
    """Loads a captured program: a path, or what a file holds as bytes.

    `device` is the backend: "cpu", "null" or the path of a library; None for the recorded one. A chip holds one executable, or a `Device` with
    several: `chip_id` gives each that lives beside others a chip of its own. `required_keys` are texts of public key files
    (`lightmetal_runner keygen`), by one of which the file must be signed. `memory_limit` is how much the file may claim on the host, in bytes
    (64 GiB). With `allow_incomplete` a file whose capture was cut short is loaded as far as it goes.

    Raises an `Error` that says what is wrong.
    """
    return Executable(load_source("lm_load", source, load_options(device, chip_id, required_keys, memory_limit, allow_incomplete)))


def _operand(tensor: Tensor, value: np.ndarray | DeviceTensor) -> COperand:
    """Points to memory or to a device tensor, which the caller keeps."""
    name = bytes_of(tensor.name)
    if isinstance(value, DeviceTensor):
        return COperand(name=name, tensor=value.handle)
    return COperand(
        name=name,
        dtype=dtype_number(tensor),
        shape=(ctypes.c_uint32 * len(tensor.shape))(*tensor.shape),
        rank=len(tensor.shape),
        data=value.ctypes.data,
        size=value.nbytes,
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
        self._lock = ProcessLock()
        self._close = freed_with(self, library.lm_free_executable, handle)
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
        out: Mapping[str, np.ndarray | DeviceTensor] | None = None,
        on_device: bool = False,
    ) -> Dict[str, Any]:
        """Runs an entry and returns its outputs by their names.

        `entry` may be None where there is only one. An input that is given no value has the one of the capture. Values are arrays of the
        tensor's dtype and shape, DLPack producers on the host, or numbers in lists. Arrays in C order are not copied. What is bfloat16 takes
        float32, rounded to nearest even, and the bfloat16 arrays of ml_dtypes; results are float32.

        `outputs` are the names of those that are wanted (all, and then those of `out`); `out` has arrays to fill, which are then in the
        result. They must not overlap inputs. An array in C order is filled as it is; for bfloat16 one of ml_dtypes' bfloat16.

        An executable of a `Device` takes each `DeviceTensor` there as an input, also of another executable, and fills those in `out`. With
        `on_device` its other outputs are new ones. Values go from tensor to tensor within the device.

        Raises `NotFoundError` for a name that there is not, and `InvalidArgumentError` for a wrong dtype or shape: nothing has been done then.
        """
        given = {self._tensor(name): value for name, value in (inputs or {}).items()}
        values = {tensor: value if isinstance(value, DeviceTensor) else input_memory(tensor, value) for tensor, value in given.items()}
        results = self._results(outputs, dict(out or {}), on_device)
        self._run(entry, [_operand(tensor, value) for tensor, value in values.items()],
                  [_operand(tensor, result.memory if isinstance(result, Output) else result) for tensor, result in results.items()])
        return {tensor.name: result.finish() if isinstance(result, Output) else result for tensor, result in results.items()}

    def upload(self, name: str, values: Any = None) -> DeviceTensor:
        """A tensor on the executable's device that lies as its input or output of that name, with values as `run` takes them, or with what lay
        there before."""
        tensor = self._make_tensor(self._tensor(name))
        if values is not None:
            tensor.write(values)
        return tensor

    def _make_tensor(self, tensor: Tensor) -> DeviceTensor:
        handle = ctypes.c_void_p()
        with self._lock:
            call("lm_make_tensor", self._open_handle(), bytes_of(tensor.name), ctypes.byref(handle))
        return DeviceTensor(tensor, handle)

    def _results(
        self, wanted: Iterable[str] | None, out: Dict[str, np.ndarray | DeviceTensor], on_device: bool
    ) -> Dict[Tensor, Output | DeviceTensor]:
        if isinstance(wanted, str):
            raise InvalidArgumentError(f"outputs is the text {wanted!r}, expected a list of names")
        names = list(dict.fromkeys([*(self.outputs if wanted is None else wanted), *out]))
        return {self._tensor(name): self._result(self._tensor(name), out.get(name), on_device) for name in names}

    def _result(self, tensor: Tensor, given: np.ndarray | DeviceTensor | None, on_device: bool) -> Output | DeviceTensor:
        if isinstance(given, DeviceTensor):
            return given
        if given is None and on_device:
            return self._make_tensor(tensor)
        return Output(tensor, given)

    def _tensor(self, name: str) -> Tensor:
        if name not in self._tensors:
            raise NotFoundError(f'there is no tensor "{name}": there are {", ".join(self._tensors) or "none"}')
        return self._tensors[name]

    def _run(self, entry: str | None, inputs: Sequence[COperand], outputs: Sequence[COperand]) -> None:
        if entry is not None and entry not in self._entries:
            raise NotFoundError(f'there is no entry "{entry}": there are {", ".join(self._entries)}')
        name = None if entry is None else bytes_of(entry)
        c_inputs = (COperand * len(inputs))(*inputs)
        c_outputs = (COperand * len(outputs))(*outputs)
        with self._lock:
            call("lm_run_operands", self._open_handle(), name, c_inputs, len(inputs), c_outputs, len(outputs))

    def _open_handle(self) -> ctypes.c_void_p:
        if not self._close.alive:
            raise InvalidArgumentError("the executable is closed")
        return self._handle

    # ---- Its end ----

    def close(self) -> None:
        """Frees the device and all that load has made, behind a run that goes on. Closing again does nothing."""
        if not self._lock.is_here():
            return  # in a forked child all of it is the parent's
        with self._lock:
            self._close()

    def __enter__(self) -> Executable:
        return self

    def __exit__(self, kind: Type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "" if self._close.alive else " closed"
        return f"<lightmetal.Executable{state} entries={list(self._entries)} inputs={list(self.inputs)} outputs={list(self.outputs)}>"
