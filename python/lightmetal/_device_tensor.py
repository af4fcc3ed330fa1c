"""Values in the memory of a device."""
from __future__ import annotations

import ctypes
from typing import Any, Tuple

import numpy as np

from ._library import call, freed_with, library
from ._tensors import Output, Tensor, input_memory


class DeviceTensor:
    """A value in the memory of a device: what `Executable.run` takes and, with `on_device`, returns. `Executable.upload` makes one, too.

    It is freed when it is forgotten. Threads may share it.
    """

    def __init__(self, tensor: Tensor, handle: ctypes.c_void_p) -> None:
        self._tensor = tensor
        self.handle = handle  #: the library's, for this package alone
        self._close = freed_with(self, library.lm_free_tensor, handle)

    @property
    def dtype(self) -> str:
        """As `Tensor.dtype`."""
        return self._tensor.dtype

    @property
    def shape(self) -> Tuple[int, ...]:
        return self._tensor.shape

    def numpy(self, out: np.ndarray | None = None) -> np.ndarray:
        """The values, in a new array or in `out`; float32 for bfloat16. Waits for the run that computes them."""
        result = Output(self._tensor, out)
        call("lm_read_tensor", self.handle, result.memory.ctypes.data, result.memory.nbytes)
        return result.finish()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("the values of a device tensor are not in the memory of the host")
        values = self.numpy()
        return values if dtype is None else values.astype(dtype, copy=False)

    def write(self, values: Any) -> None:
        """Replaces the values: as an input of `Executable.run` takes them."""
        memory = input_memory(self._tensor, values)
        call("lm_write_tensor", self.handle, memory.ctypes.data, memory.nbytes)

    def __repr__(self) -> str:
        return f"<lightmetal.DeviceTensor {self.dtype} {list(self.shape)}>"
