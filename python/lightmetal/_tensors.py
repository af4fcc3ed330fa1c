"""Arrays as the library takes them, and what it gives as arrays."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Tuple

import numpy as np

from ._errors import InvalidArgumentError

_ROLES = ("input", "output", "in_out", "constant")
_DTYPES = {1: "uint8", 2: "uint16", 3: "int32", 4: "uint32", 5: "float32", 6: "bfloat16"}


@dataclass(frozen=True)
class Tensor:
    """What a buffer with a name holds: row by row, however it lies on the device."""

    name: str
    role: str  #: "input", "output", "in_out" or "constant"
    dtype: str  #: "uint8", "uint16", "int32", "uint32", "float32" or "bfloat16"
    shape: Tuple[int, ...]

    @property
    def is_input(self) -> bool:
        return self.role in ("input", "in_out")

    @property
    def is_output(self) -> bool:
        return self.role in ("output", "in_out")

    @property
    def array_dtype(self) -> np.dtype[Any]:
        """The dtype of arrays that `Executable.run` returns: float32 for bfloat16."""
        return np.dtype("float32" if self.dtype == "bfloat16" else self.dtype)

    @property
    def stored_dtype(self) -> np.dtype[Any]:
        """The dtype of the memory that the library takes: the bits, for bfloat16."""
        return np.dtype("uint16" if self.dtype == "bfloat16" else self.dtype)


def make_tensor(name: str, role: int, dtype: int, shape: Tuple[int, ...]) -> Tensor:
    return Tensor(name, _ROLES[role], _DTYPES[dtype], shape)


def dtype_number(tensor: Tensor) -> int:
    return next(number for number, name in _DTYPES.items() if name == tensor.dtype)


# ---- bfloat16 ----


def _is_bfloat16(dtype: np.dtype[Any]) -> bool:
    """True for the dtype of the package ml_dtypes, which need not be installed."""
    return dtype.name == "bfloat16" and dtype.itemsize == 2


def to_bfloat16(values: np.ndarray) -> np.ndarray:
    """The bits of float32 values, rounded to the nearest bfloat16, ties to even; NaNs stay NaNs."""
    flat = np.ascontiguousarray(values).reshape(-1)
    bits = flat.view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    quiet = (bits >> 16) | 0x40
    return np.where(np.isnan(flat), quiet, rounded).astype(np.uint16).reshape(values.shape)


def from_bfloat16(bits: np.ndarray) -> np.ndarray:
    """The float32 values that the bits stand for."""
    flat = bits.reshape(-1).astype(np.uint32) << 16
    return flat.view(np.float32).reshape(bits.shape)


# ---- Inputs ----


def _check_mask(tensor: Tensor, array: np.ndarray) -> np.ndarray:
    """The array without the class of masked arrays. A tensor has no mask: what is masked out would count."""
    if np.ma.is_masked(array):
        raise InvalidArgumentError(f"the values for {tensor.name} are masked in part, and a tensor has no mask: fill them, as with .filled(0)")
    return np.asarray(array)


def _array_of(tensor: Tensor, value: Any) -> np.ndarray:
    """The value as an array: the memory of arrays and of DLPack producers, which have a dtype of their own."""
    if isinstance(value, np.ndarray):
        return _check_mask(tensor, value)
    if not hasattr(value, "__dlpack__"):
        if hasattr(value, "dtype") or hasattr(value, "__array__"):
            array = _check_mask(tensor, np.asanyarray(value))
            return array if hasattr(value, "dtype") else _converted(tensor, array)
        return _converted(tensor, _check_mask(tensor, np.ma.asanyarray(value)))
    try:
        return np.from_dlpack(value)
    except (BufferError, NotImplementedError, RuntimeError, TypeError) as error:  # such as for bfloat16, which NumPy does not have
        array = np.asarray(value)
        if array.dtype != object:
            return array
        raise InvalidArgumentError(f"the values for {tensor.name} cannot be taken by DLPack: {error}") from error


def _converted(tensor: Tensor, array: np.ndarray) -> np.ndarray:
    """Numbers of Python, which have no dtype, as what the tensor has, where nothing of an integer is lost."""
    if array.dtype.kind not in "biuf":
        raise InvalidArgumentError(f"the values for {tensor.name} are {array.dtype}, expected numbers")
    with np.errstate(invalid="ignore", over="ignore"):
        converted = array.astype(tensor.array_dtype)
    if converted.dtype.kind in "iu" and not np.array_equal(converted, array):
        raise InvalidArgumentError(f"the values for {tensor.name} do not fit into {tensor.dtype}")
    return converted


def _check_shape(tensor: Tensor, array: np.ndarray) -> None:
    if array.shape != tensor.shape:
        raise InvalidArgumentError(f"the values for {tensor.name} have the shape {list(array.shape)}, expected {list(tensor.shape)}")


def _wrong_dtype(tensor: Tensor, array: np.ndarray) -> InvalidArgumentError:
    expected = "bfloat16 or float32" if tensor.dtype == "bfloat16" else tensor.dtype
    return InvalidArgumentError(f"the values for {tensor.name} are {array.dtype}, expected {expected}")


def input_memory(tensor: Tensor, value: Any) -> np.ndarray:
    """An array in C order that the library can take; the value's own memory where it can."""
    array = _array_of(tensor, value)
    _check_shape(tensor, array)
    if tensor.dtype == "bfloat16":
        if _is_bfloat16(array.dtype):
            array = array.view(np.uint16)
        elif array.dtype == np.float32:
            array = to_bfloat16(array)
        else:
            raise _wrong_dtype(tensor, array)
    elif array.dtype != tensor.stored_dtype:
        raise _wrong_dtype(tensor, array)
    return np.asarray(array, order="C")


# ---- Outputs ----


class Output:
    """An array for a result, and the memory that the library fills for it: the array's own where it can be."""

    def __init__(self, tensor: Tensor, array: np.ndarray | None = None) -> None:
        self.array = np.empty(tensor.shape, tensor.array_dtype) if array is None else array
        self._check(tensor)
        filled = self.array.view(np.uint16) if _is_bfloat16(self.array.dtype) else self.array
        is_direct = filled.dtype == tensor.stored_dtype and filled.flags.c_contiguous
        self.memory = filled if is_direct else np.empty(tensor.shape, tensor.stored_dtype)
        self._target = None if is_direct else filled

    def _check(self, tensor: Tensor) -> None:
        if not isinstance(self.array, np.ndarray):
            raise InvalidArgumentError(f"the array for {tensor.name} is a {type(self.array).__name__}, expected a numpy.ndarray")
        _check_shape(tensor, self.array)
        if self.array.dtype != tensor.array_dtype and not (tensor.dtype == "bfloat16" and _is_bfloat16(self.array.dtype)):
            raise _wrong_dtype(tensor, self.array)
        if np.ma.is_masked(self.array):
            raise InvalidArgumentError(f"the array for {tensor.name} is masked in part, and a result has no mask")
        if not self.array.flags.writeable:
            raise InvalidArgumentError(f"the array for {tensor.name} cannot be written")

    def finish(self) -> np.ndarray:
        """The array, once the library has filled the memory."""
        if self._target is not None:
            is_float = self._target.dtype != self.memory.dtype
            self._target[...] = from_bfloat16(self.memory) if is_float else self.memory
        return self.array
