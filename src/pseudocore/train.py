"""Training networks on the whole data, epoch by epoch: what makes an expert."""

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
from jaxtyping import Array, Float

from pseudocore.augment.base import Augment, Unchanged
from pseudocore.checks import at_least, positive
from pseudocore.data import Data
from pseudocore.model import Model
from pseudocore.types import Keys, Points, PRNGKey, Scalar, Theta


class Training(eqx.Module):
    """Plain SGD on the mean cross-entropy, the last, smaller batch kept (paper: 0.01, 256)."""

    rate: float = eqx.field(static=True, default=0.01)
    batch: int = eqx.field(static=True, default=256)
    augment: Augment = Unchanged()

    def __check_init__(self):
        at_least(self, 1, "batch", of="training")
        positive(self, "rate", of="training")

    def epoch(
        self, key: PRNGKey, model: Model, data: Data, theta: Theta
    ) -> tuple[Theta, Scalar, Scalar]:
        """Parameters after one pass over the data, its mean loss and its accuracy."""
        index, present, keys = self.order(key, len(data))

        def step(theta: Theta, inputs):
            numbers, here, key_batch = inputs
            return self.step(key_batch, model, data.x[numbers], data.y[numbers], here, theta)

        theta, (losses, rights) = jax.lax.scan(step, theta, (index, present, keys))
        return theta, losses.sum() / len(data), rights.sum() / len(data)

    def step(self, key: PRNGKey, model: Model, x: Points, y, here, theta: Theta):
        """One step on a batch, `here` saying what is no padding; its summed loss and hits."""
        x = self.augment(key, x)

        def loss(theta: Theta):
            log_probs = jax.nn.log_softmax(model.logits(theta, x))
            right = (log_probs.argmax(-1) == y.argmax(-1)) & here
            return -jnp.sum(here * jnp.sum(y * log_probs, -1)) / here.sum(), right.sum()

        (value, right), gradient = jax.value_and_grad(loss, has_aux=True)(theta)
        return theta - self.rate * gradient, (value * here.sum(), right)

    def order(self, key: PRNGKey, n: int):
        """The batches of an epoch, what of them is no padding, and a key for each."""
        key_order, key_augment = jr.split(key)
        index, present = self.batches(key_order, n)
        return index, present, jr.split(key_augment, index.shape[0])

    def batches(self, key: PRNGKey, n: int):
        """A shuffle of 0..n-1 in rows of one batch, and which entries are not padding."""
        size = min(self.batch, n)
        count = -(-n // size)
        order = jnp.concatenate([jr.permutation(key, n), jnp.zeros(count * size - n, jnp.int32)])
        present = jnp.arange(count * size) < n
        return order.reshape(count, size), present.reshape(count, size)


@eqx.filter_jit
def train_epoch(
    training: Training,
    keys: Keys,
    epoch: Array,
    model: Model,
    data: Data,
    thetas: Float[Array, "k p"],
):
    """One epoch of several experts in one program, random by key and epoch alone."""

    def one(key: PRNGKey, theta: Theta):
        return training.epoch(jr.fold_in(key, epoch), model, data, theta)

    return jax.vmap(one)(keys, thetas)


@eqx.filter_jit
def initial(keys: Keys, model: Model) -> Float[Array, "k p"]:
    """The experts before their first epoch."""
    return jax.vmap(lambda key: model.init(jr.fold_in(key, jnp.iinfo(jnp.int32).max)))(keys)


def train_experts(
    key: PRNGKey, model: Model, data: Data, training: Training, count: int, epochs: int
) -> Float[Array, "experts epochs p"]:
    """The parameters of `count` networks at initialisation and after each of `epochs` epochs."""
    keys = expert_keys(key, range(count))
    path = [initial(keys, model)]
    for epoch in range(epochs):
        thetas, _, _ = train_epoch(training, keys, jnp.asarray(epoch), model, data, path[-1])
        path.append(thetas)
    return jnp.stack(path, axis=1)


def expert_keys(key: PRNGKey, numbers: range) -> Keys:
    """One key an expert, the same whichever experts are trained beside it."""
    return jax.vmap(lambda number: jr.fold_in(key, number))(jnp.asarray(numbers, jnp.uint32))
