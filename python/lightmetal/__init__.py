"""Runs captured programs, Light Metal binaries with names for their inputs and outputs, with NumPy arrays.

    import lightmetal

    with lightmetal.load("block.lmb") as block:
        result = block.run({"x": x})["y"]

A file is loaded once, which opens the device and loads kernels, and run many times. Nothing is compiled. `open_device` opens one that several
files share, whose values go from one to the next without a way over the host. Kernels are code: load only files
that you trust, or require a signature (`required_keys`).
"""
from ._device import Device, open_device
from ._device_tensor import DeviceTensor
from ._errors import (
    DataLossError,
    Error,
    FailedPreconditionError,
    InternalError,
    InvalidArgumentError,
    NotFoundError,
    PermissionDeniedError,
    ResourceExhaustedError,
    UnauthenticatedError,
    UnavailableError,
    UnimplementedError,
)
from ._executable import Executable, load
from ._library import version as _version
from ._tensors import Tensor

__version__ = _version()

__all__ = [
    "DataLossError",
    "Device",
    "DeviceTensor",
    "Error",
    "Executable",
    "FailedPreconditionError",
    "InternalError",
    "InvalidArgumentError",
    "NotFoundError",
    "PermissionDeniedError",
    "ResourceExhaustedError",
    "Tensor",
    "UnauthenticatedError",
    "UnavailableError",
    "UnimplementedError",
    "load",
    "open_device",
]
