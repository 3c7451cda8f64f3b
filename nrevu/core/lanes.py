"""Views of one chain's part of the arrays in which a driver has several chains.

Either the chains are interleaved, number i of chain k at [i * LANES + k], so that a loop over the
chains reads contiguous numbers and vectorises; or each chain is contiguous, from k * size on, so
that a loop over its coordinates does. Slices would do the same, but check their ends against the
array's, which hides the layout from LLVM, and count references: both take as long as the update of
some coordinates.
"""

import operator

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.datamodel import models
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, register_model
from numba.np.arrayobj import make_array, populate_array


def views(lanes: int) -> dict:
    """Return `lane`, `drawn`, `stream` and `repeat` for a kernel with `lanes` interleaved chains.

    1: one chain after the other. `plain_views` has the same as functions of Python.
    """

    @intrinsic
    def lane(typing_context, array, k, size):
        def code(context, builder, signature, arguments):
            whole, k, size = arguments
            first = k if lanes > 1 else builder.mul(k, size)
            return part(context, builder, signature, whole, first, lanes, size)

        return viewed(array, lanes)(array, types.intp, types.intp), code

    @intrinsic
    def drawn(typing_context, array, k, block, used, size):
        def code(context, builder, signature, arguments):
            whole, k, block, used, size = arguments
            if lanes > 1:
                width = context.get_constant(types.intp, lanes)
                first = builder.add(builder.mul(builder.mul(used, size), width), k)
            else:
                first = builder.mul(builder.add(builder.mul(k, block), used), size)
            return part(context, builder, signature, whole, first, lanes, size)

        return viewed(array, lanes)(array, *[types.intp] * 4), code

    return {"lane": lane, "drawn": drawn, "stream": stream, "repeat": repeat}


def plain_views(lanes: int) -> dict:
    """Return what `views` does, in Python: `repeat` as an array."""

    def lane(array, k, size):
        """Return the `size` numbers of chain k in a flat array."""
        return array[k::lanes][:size] if lanes > 1 else array[k * size : (k + 1) * size]

    def drawn(array, k, block, used, size):
        """Return row `used` of chain k in a flat array with `block` rows for each chain."""
        return lane(array, k, block * size)[used * size : (used + 1) * size]

    def stream(bits, k):
        """Return the generator's state of chain k."""
        return bits[k]

    def repeat(numbers, k, size):
        """Return an array that has number k `size` times."""
        return np.full(size, numbers[k])

    return {"lane": lane, "drawn": drawn, "stream": stream, "repeat": repeat}


@intrinsic
def stream(typing_context, bits, k):
    """Return the generator's state of chain k: row k of an array."""

    def code(context, builder, signature, arguments):
        whole, k = arguments
        size = builder.extract_value(
            make_array(signature.args[0])(context, builder, whole).shape, 1
        )
        return part(context, builder, signature, whole, builder.mul(k, size), 1, size)

    return bits.copy(ndim=1)(bits, types.intp), code


def viewed(array, lanes: int):
    """Return the type of a part of an array: contiguous or strided."""
    return array if lanes == 1 else array.copy(layout="A")


def part(context, builder, signature, whole, first, stride: int, size):
    """Return a view of `size` numbers of an array, from `first` on, `stride` apart."""
    whole = make_array(signature.args[0])(context, builder, whole)
    view = make_array(signature.return_type)(context, builder)
    width = context.get_abi_sizeof(context.get_data_type(signature.return_type.dtype))
    populate_array(
        view,
        data=builder.gep(whole.data, [first]),
        shape=[size],
        strides=[context.get_constant(types.intp, width * stride)],
        itemsize=context.get_constant(types.intp, width),
        meminfo=None,  # the array outlives its parts
    )
    return view._getvalue()


class Repeated(types.Type):
    """One number that looks like an array of it: all coordinates have the same stepsize."""

    def __init__(self):
        super().__init__("Repeated")


REPEATED = Repeated()


@register_model(Repeated)
class RepeatedModel(models.PrimitiveModel):
    """A Repeated is its number."""

    def __init__(self, manager, kind):
        super().__init__(manager, kind, ir.DoubleType())


@intrinsic
def repeat(typing_context, numbers, k, size):
    """Return number k as a Repeated."""

    def code(context, builder, signature, arguments):
        array = make_array(signature.args[0])(context, builder, arguments[0])
        return builder.load(builder.gep(array.data, [arguments[1]]))

    return REPEATED(numbers, types.intp, types.intp), code


@infer_global(operator.getitem)
class GetRepeated(AbstractTemplate):
    """Types h[i] of a Repeated h."""

    def generic(self, args, kws):
        """Return the signature: a float for any integer i."""
        if args[0] == REPEATED and isinstance(args[1], types.Integer):
            return signature(types.float64, *args)
        return None


@lower_builtin(operator.getitem, Repeated, types.Integer)
def get_repeated(context, builder, signature, arguments):
    """Return the number."""
    return arguments[0]
