"""Random points of every class."""

from jaxtyping import Array, Float

from pseudocore.data import Data
from pseudocore.select.base import Select, members, subset
from pseudocore.types import PRNGKey


class RandomSubset(Select):
    """Points of each class drawn uniformly without replacement. The features are not read."""

    def __call__(self, key: PRNGKey, data: Data, features: Float[Array, "n d"], ipc: int) -> Data:
        return subset(data, [index[:ipc] for index in members(key, data, features, ipc)])
