"""Functions of C libraries, called from compiled functions through their addresses.

A kernel that is bound to a symbol of a library would have to be compiled for that library; one that
receives an address among its data serves any library, and is found in numba's cache.
"""

import ctypes
import functools
from collections.abc import Callable
from pathlib import Path

from llvmlite import ir
from numba import types
from numba.core import sigutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

from nrevu.errors import Mistake
from nrevu.files import content_hash


def c_address(library: str | Path, name: str) -> int:
    """Return the address of a function of a C library, which stays loaded; for `data`."""
    path = Path(library).absolute()
    if not path.is_file():
        raise Mistake(f"'{library}': no such file; compile the library first", "library")
    try:
        function = getattr(load_library(path), name)
    except OSError as error:
        raise Mistake(f"'{library}' cannot be loaded: {error}", "library") from None
    except AttributeError:
        raise Mistake(f"'{library}' has no function '{name}'", "library") from None
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return address


@functools.cache
def load_library(path: Path) -> ctypes.CDLL:
    """Return a library, loaded once."""
    return ctypes.CDLL(str(path))


def file_hash(path: str | Path) -> str:
    """Return 16 hex digits of a file, for `content`: a digest then covers the file."""
    return content_hash([Path(path)])


def c_caller(signature: str) -> Callable:
    """Return a function for compiled code that calls a C function: call(address, *arguments).

    `signature` is as numba writes it, "int32(intp, float64)". A pointer is an `intp`: that of an
    array is `array.ctypes.data`.
    """
    arguments, returned = sigutils.normalize_signature(signature)

    @intrinsic(prefer_literal=False)
    def call(typing_context, address, *values):
        given = values[0] if len(values) == 1 and isinstance(values[0], tuple) else values
        if len(given) != len(arguments):
            raise TypingError(f"{signature} has {len(arguments)} arguments, not {len(given)}")

        def code(context, builder, signature, values):
            address, pack = values
            types_ = [context.get_value_type(each) for each in arguments]
            kind = ir.FunctionType(context.get_value_type(returned), types_)
            function = builder.inttoptr(address, kind.as_pointer())
            parts = [
                context.cast(builder, builder.extract_value(pack, i), given[i], kind_)
                for i, kind_ in enumerate(arguments)
            ]
            return builder.call(function, parts)

        return returned(types.intp, types.StarArgTuple(given)), code

    return call
