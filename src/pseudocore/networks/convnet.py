"""The paper's ConvNet: blocks of conv3x3 - norm - ReLU - 2x2 average pool, and a linear layer."""

from typing import Any

import equinox as eqx
import jax
import jax.random as jr
from jaxtyping import Array, Float

from pseudocore.errors import UserError
from pseudocore.networks.base import Network, dense, dense_init, flatten
from pseudocore.networks.convolution import convolve
from pseudocore.networks.norm import InstanceNorm, Norm
from pseudocore.types import Images, Logits, Points, PRNGKey, Shape


class ConvNet(Network):
    """`depth` blocks of `width` channels, for images of any size and number of channels."""

    depth: int = eqx.field(static=True, default=3)
    width: int = eqx.field(static=True, default=128)
    norm: Norm = InstanceNorm()

    def init(self, key: PRNGKey, shape: Shape, classes: int) -> Any:
        side = self.final_side(shape)
        channels = [shape[-1], *[self.width] * self.depth]
        key_head, *keys = jr.split(key, self.depth + 1)
        blocks = [
            {
                **dense_init(k, 9 * fan_in, (3, 3, fan_in, self.width)),
                "norm": self.norm.init(self.width),
            }
            for k, fan_in in zip(keys, channels[:-1], strict=True)
        ]
        size = side[0] * side[1] * self.width
        return {"blocks": blocks, "head": dense_init(key_head, size, (size, classes))}

    def final_side(self, shape: Shape) -> tuple[int, int]:
        """Height and width after the last pooling."""
        if len(shape) != 3:
            raise UserError(
                f"A ConvNet takes images (height, width, channels), not points of shape {shape}; "
                "reshape them, or use MLP() or Linear()."
            )
        height, width = (side >> self.depth for side in shape[:2])
        if min(height, width) < 1 or self.depth < 1 or self.width < 1:
            raise UserError(
                f"ConvNet(depth={self.depth}, width={self.width}) does not fit images of "
                f"{shape[0]}x{shape[1]}: every block halves the side, and one pixel must remain."
            )
        return height, width

    def apply(self, params: Any, x: Points) -> Logits:
        return dense(params["head"], self.features(params, x))

    def features(self, params: Any, x: Points) -> Float[Array, "n d"]:
        for block in params["blocks"]:
            maps = convolve(x, block["weight"]) + block["bias"]
            x = halve(jax.nn.relu(self.norm(block["norm"], maps)))
        return flatten(x)


def halve(maps: Images) -> Float[Array, "n rows columns channels"]:
    """Average pooling over 2x2; an odd last row or column is dropped, as in PyTorch."""
    n, height, width, channels = maps.shape
    even = maps[:, : height // 2 * 2, : width // 2 * 2]
    return even.reshape(n, height // 2, 2, width // 2, 2, channels).mean(axis=(2, 4))
