"""What goes wrong, one exception for each status of lightmetal.h."""
from __future__ import annotations


class Error(Exception):
    """Any error of Light Metal. Its text says what, where, what was expected and what was found."""

    #: The status of lightmetal.h, such as "NOT_FOUND".
    status = "UNKNOWN"


class InvalidArgumentError(Error, ValueError):
    """The values are wrong: a dtype, a shape, a name that is given twice; or the file is none of ours."""

    status = "INVALID_ARGUMENT"


class NotFoundError(Error, LookupError):
    """There is no such file, entry, tensor or backend."""

    status = "NOT_FOUND"


class PermissionDeniedError(Error):
    """The file may not be read."""

    status = "PERMISSION_DENIED"


class UnauthenticatedError(PermissionDeniedError):
    """The file has no right signature of a key that is required."""

    status = "UNAUTHENTICATED"


class ResourceExhaustedError(Error):
    """There is not enough memory, or a limit is reached."""

    status = "RESOURCE_EXHAUSTED"


class FailedPreconditionError(Error):
    """The file does not fit this device or cannot be run again, or an earlier run has failed."""

    status = "FAILED_PRECONDITION"


class UnimplementedError(Error, NotImplementedError):
    """The file needs what this version or this backend does not have."""

    status = "UNIMPLEMENTED"


class InternalError(Error):
    """The device has failed, or a kernel on it."""

    status = "INTERNAL"


class UnavailableError(Error):
    """What is needed is not there now."""

    status = "UNAVAILABLE"


class DataLossError(Error):
    """The file is damaged."""

    status = "DATA_LOSS"


#: By the numbers of lm_status; the others are plain errors.
BY_STATUS = {
    3: InvalidArgumentError,
    5: NotFoundError,
    7: PermissionDeniedError,
    8: ResourceExhaustedError,
    9: FailedPreconditionError,
    12: UnimplementedError,
    13: InternalError,
    14: UnavailableError,
    15: DataLossError,
    16: UnauthenticatedError,
}
