"""Names for the shapes that travel through the package; the tests run them with beartype."""

from typing import TypeAlias

from jaxtyping import Array, Float, Int, Key, PRNGKeyArray

PRNGKey: TypeAlias = PRNGKeyArray
Keys: TypeAlias = Key[Array, " n"]
Scalar: TypeAlias = Float[Array, ""]
# All parameters of a network in one vector: one large operation instead of one a layer
# (compilation fell from 8 s to 1.6 s), and a trajectory is a plain matrix.
Theta: TypeAlias = Float[Array, " p"]
Points: TypeAlias = Float[Array, "n *shape"]
Images: TypeAlias = Float[Array, "n height width channels"]
Logits: TypeAlias = Float[Array, "n classes"]
Labels: TypeAlias = Int[Array, " n"]
Shape: TypeAlias = tuple[int, ...]
