"""Points that cover their class: none is far from a chosen one."""

import numpy as np
from jaxtyping import Array, Float, Int

from pseudocore.data import Data
from pseudocore.select.base import Select, centred, members, subset
from pseudocore.types import PRNGKey


class KCenter(Select):
    """argmax_i min_chosen |f_i - f_j|, greedily, from the point nearest to the class mean.

    The covering radius is at most twice the best of any `ipc` points (Gonzalez, 1985). A larger ipc
    only adds points. The key decides nothing but which of equally far points is taken.
    """

    def __call__(self, key: PRNGKey, data: Data, features: Float[Array, "n d"], ipc: int) -> Data:
        classes = members(key, data, features, ipc)
        return subset(data, [index[cover(centred(features, index), ipc)] for index in classes])


def cover(rows: Float[np.ndarray, "members d"], ipc: int) -> Int[np.ndarray, " ipc"]:
    """The rows, of mean zero, that farthest-first traversal visits."""
    square = np.einsum("id,id->i", rows, rows)
    gap = np.full(len(rows), np.inf)
    chosen = np.empty(ipc, np.intp)
    chosen[0] = square.argmin()
    for k in range(1, ipc):
        last = chosen[k - 1]
        gap = np.minimum(gap, square - 2 * (rows @ rows[last]) + square[last])
        # Among copies of one point every gap is zero: what is taken must not be taken again.
        gap[last] = -np.inf
        chosen[k] = gap.argmax()
    return chosen
