"""Chains side by side: how a kernel sees one chain's part of arrays that hold several.

Either the chains' numbers alternate, number i of chain k at [i * LANES + k], so that a loop over
the chains reads neighbours and vectorises; or each chain's are together, from k * size on, so that
a loop over its coordinates does. Slices would say the same, but compare their ends with the
array's, which hides the neighbours from LLVM and takes as long as the update of some coordinates;
hence views made by hand.
"""

from numba import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array


def views(lanes: int) -> dict:
    """Return what `lane` and `drawn` are in a kernel of so many alternating chains, or of 1."""

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
    """Return the type of a part of an array: numbers that follow each other, or not."""
    return array if lanes == 1 else array.copy(layout="A")


def part(context, builder, signature, whole, first, stride: int, size):
    """Return the array of `size` numbers of another, every so many, from `first` on."""
    whole = make_array(signature.args[0])(context, builder, whole)
    view = make_array(signature.return_type)(context, builder)
    width = context.get_abi_sizeof(context.get_data_type(types.float64))
    populate_array(
        view,
        data=builder.gep(whole.data, [first]),
        shape=[size],
        strides=[context.get_constant(types.intp, width * stride)],
        itemsize=context.get_constant(types.intp, width),
        meminfo=None,  # the whole array outlives its parts
    )
    return view._getvalue()
