"""Chains side by side: how a kernel sees one chain's part of arrays that hold several.

Coordinate i of chain k is at [i * LANES + k], so that a loop over the chains reads neighbours and
vectorises. A slice `array[k::LANES]` would say the same, but checks k against the array's length,
after which LLVM no longer sees neighbours; hence a view made by hand.
"""

from numba import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array


def view(lanes: int):
    """Return a compiled function of (flat float64 array, k): the part of chain k of so many."""

    @intrinsic
    def lane(typing_context, array, k):
        def code(context, builder, signature, arguments):
            whole = make_array(signature.args[0])(context, builder, arguments[0])
            part = make_array(signature.return_type)(context, builder)
            number = context.get_value_type(types.intp)
            width = context.get_abi_sizeof(context.get_data_type(types.float64))
            populate_array(
                part,
                data=builder.gep(whole.data, [arguments[1]]),
                shape=[builder.sdiv(whole.nitems, number(lanes))],
                strides=[number(width * lanes)],
                itemsize=number(width),
                meminfo=None,  # the whole array outlives its parts
            )
            return part._getvalue()

        return array.copy(layout="A")(array, types.intp), code

    return lane
