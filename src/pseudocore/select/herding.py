"""Points whose mean follows the mean of their class."""

import numpy as np
from jaxtyping import Array, Float, Int

from pseudocore.data import Data
from pseudocore.select.base import Select, centred, members, subset
from pseudocore.types import PRNGKey


class Herding(Select):
    """argmin_i |μ - (Σ_chosen f + f_i)/k|, greedily for k = 1..ipc, without replacement.

    The herding of Welling (2009) as iCaRL (2017) uses it. A larger ipc only adds points. The key
    decides nothing but which of equally good points is taken.
    """

    def __call__(self, key: PRNGKey, data: Data, features: Float[Array, "n d"], ipc: int) -> Data:
        classes = members(key, data, features, ipc)
        return subset(data, [index[herd(centred(features, index), ipc)] for index in classes])


def herd(rows: Float[np.ndarray, "members d"], ipc: int) -> Int[np.ndarray, " ipc"]:
    """The rows, of mean zero, that keep their running sum shortest.

    |s + f_i|² = |s|² + 2 s·f_i + |f_i|², so a step is one product of the rows with s.
    """
    cost = np.einsum("id,id->i", rows, rows)
    total = np.zeros(rows.shape[1])
    chosen = np.empty(ipc, np.intp)
    for k in range(ipc):
        chosen[k] = (2 * (rows @ total) + cost).argmin()
        total += rows[chosen[k]]
        cost[chosen[k]] = np.inf
    return chosen
