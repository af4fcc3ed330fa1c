"""Runs captured programs, Light Metal binaries with names for their inputs and outputs, with NumPy arrays.

    import lightmetal

    with lightmetal.load("block.lmb") as block:
        result = block.run({"x": x})["y"]

A file is loaded once, which opens the device and loads kernels, and run many times. Nothing is compiled. Kernels are code: load only files
that you trust, or require a signature (`required_keys`).
"""
from ._errors import (
    DataLossError,
    Error,
    FailedPreconditionError,
    InternalError,
    InvalidArgumentError,
    NotFoundError,
    PermissionDeniedError,
    ResourceExhaustedError,
    UnavailableError,
    UnimplementedError,
)
from ._executable import Executable, load
from ._library import version as _version
from ._tensors import Tensor

__version__ = _version()

__all__ = [
    "DataLossError",
    "Error",
    "Executable",
    "FailedPreconditionError",
    "InternalError",
    "InvalidArgumentError",
    "NotFoundError",
    "PermissionDeniedError",
    "ResourceExhaustedError",
    "Tensor",
    "UnavailableError",
    "UnimplementedError",
    "load",
]
