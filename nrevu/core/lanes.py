"""Views of one chain's part of the arrays in which a kernel has several chains.

Either the chains are interleaved, number i of chain k at [i * LANES + k], so that a loop over the
chains reads contiguous numbers and vectorises; or each chain is contiguous, from k * size on, so
that a loop over its coordinates does. Slices would do the same, but check their ends against the
array's, which hides the layout from LLVM and takes as long as the update of some coordinates.
"""

from numba import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array


def views(lanes: int) -> dict:
    """Return `lane` and `drawn` for a kernel with `lanes` interleaved chains, or with 1."""

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

    return {"lane": lane, "drawn": drawn}


def viewed(array, lanes: int):
    """Return the type of a part of an array: contiguous or strided."""
    return array if lanes == 1 else array.copy(layout="A")


def part(context, builder, signature, whole, first, stride: int, size):
    """Return a view of `size` numbers of an array, from `first` on, `stride` apart."""
    whole = make_array(signature.args[0])(context, builder, whole)
    view = make_array(signature.return_type)(context, builder)
    width = context.get_abi_sizeof(context.get_data_type(types.float64))
    populate_array(
        view,
        data=builder.gep(whole.data, [first]),
        shape=[size],
        strides=[context.get_constant(types.intp, width * stride)],
        itemsize=context.get_constant(types.intp, width),
        meminfo=None,  # the array outlives its parts
    )
    return view._getvalue()
