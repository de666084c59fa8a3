"""Training on points that stay on disk: the same steps as in memory, some batches at a time."""

from concurrent.futures import ThreadPoolExecutor

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
from jaxtyping import Array, Float

from pseudocore.datasets.stored import Stored
from pseudocore.model import Model
from pseudocore.train import Training
from pseudocore.types import Keys, PRNGKey, Theta

BLOCK = 256 * 2**20  # bytes of points that are read while others are learned from


def train_stored_epoch(
    training: Training,
    keys: Keys,
    epoch: Array,
    model: Model,
    points: Stored,
    thetas: Float[Array, "k p"],
):
    """What `train_epoch` does, for points that are larger than memory."""
    index, present, step_keys = orders(training, keys, epoch, len(points))
    numbers, losses, rights = np.asarray(index), 0.0, 0.0

    def read(block: slice):
        return points.take(numbers[:, block])

    blocks = blocked(points, numbers.shape)
    with ThreadPoolExecutor(1) as reader:
        ahead = reader.submit(read, blocks[0])
        for block, following in zip(blocks, [*blocks[1:], None], strict=True):
            x, y = ahead.result()
            if following:
                ahead = reader.submit(read, following)
            thetas, loss, right = some_steps(
                training, step_keys[:, block], model, x, y, present[:, block], thetas
            )
            losses, rights = losses + loss, rights + right
    return thetas, losses / len(points), rights / len(points)


def blocked(points: Stored, shape: tuple[int, ...]) -> list[slice]:
    """Runs of batches that fit into `BLOCK`, for all experts together."""
    experts, batches, size = shape
    batch = points.size // len(points) * experts * size
    stride = max(1, BLOCK // batch)
    return [slice(i, i + stride) for i in range(0, batches, stride)]


@eqx.filter_jit
def orders(training: Training, keys: Keys, epoch: Array, n: int):
    """The batches of every expert, (experts, batches, size), and what belongs to them."""
    return jax.vmap(lambda key: training.order(jr.fold_in(key, epoch), n))(keys)


@eqx.filter_jit
def some_steps(training: Training, keys, model: Model, x, y, present, thetas: Float[Array, "k p"]):
    """The steps of one block of batches, of all experts; their summed losses and hits."""

    def one(keys: Keys, x, y, present, theta: Theta):
        def step(theta: Theta, inputs: tuple[PRNGKey, Array, Array, Array]):
            key, x, y, here = inputs
            return training.step(key, model, x, y, here, theta)

        theta, (losses, rights) = jax.lax.scan(step, theta, (keys, x, y, present))
        return theta, losses.sum(), rights.sum()

    return jax.vmap(one)(keys, jnp.asarray(x), jnp.asarray(y), present, thetas)
