"""Steps of gradient descent, their exact gradient, and what they keep in memory."""

import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree
from tests.worlds.outer import noise, pictures, separable, step_bytes

from pseudocore.augment import Color, Unchanged
from pseudocore.data import Data, labelled
from pseudocore.divergences import DiagonalWasserstein, Wasserstein
from pseudocore.expert import Expert
from pseudocore.infer import Unroll
from pseudocore.learn import Learner, Problem
from pseudocore.model import Model
from pseudocore.networks import MLP
from pseudocore.optimise import OuterSGD
from pseudocore.posterior import AlongPath, Fixed, Gaussian


def test_it_is_gradient_descent_written_out():
    model, u, infer = separable().model, noise(), Unroll(steps=5, rate=0.3, spread=AlongPath())
    start = separable().expert.trajectories[0, 0]
    theta, path = start, [start]
    for _ in range(5):
        theta = theta + 0.3 * jax.grad(model.loglik)(theta, u)
        path.append(theta)
    q_u = infer(jr.key(0), model, u, start)
    np.testing.assert_allclose(q_u.centre, theta, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(q_u.scale, AlongPath()(jnp.stack(path)), rtol=1e-4)
    assert float(jnp.abs(theta - start).max()) > 0.01


def test_no_steps_end_where_they_start():
    start = separable().expert.trajectories[0, 0]
    q_u = Unroll(steps=0, spread=AlongPath(0.3))(jr.key(0), separable().model, noise(), start)
    assert jnp.array_equal(q_u.mean(), start)


def tiny(spread) -> tuple[Problem, Data]:
    """Soft labels, unequal weights and far experts, in double precision."""
    keys = jr.split(jr.key(0), 4)
    x = jr.normal(keys[0], (3, 2, 2, 3))
    u = Data(x, jax.nn.softmax(jr.normal(keys[1], (3, 2))), jnp.array([0.4, 1.0, 0.7]))
    model = Model.of(MLP(width=3), u)
    size = model.layout.size
    expert = Expert(jr.normal(keys[2], (2, 4, size)), starts=2, ahead=2, spread=spread)
    real = labelled(x, jnp.arange(3) % 2, 2)
    return Problem(model, expert, real), u


@pytest.mark.parametrize("augment", [Unchanged(), Color()], ids=repr)
@pytest.mark.parametrize(
    ("divergence", "spread"),
    [(Wasserstein(), Fixed()), (DiagonalWasserstein(), AlongPath(0.1))],
    ids=["W", "W-diagonal"],
)
def test_the_gradient_in_images_labels_weights_and_rate_is_exact(divergence, spread, augment):
    """Through six steps, against central differences of every coordinate."""
    with jax.enable_x64(True):
        problem, u = tiny(spread)
        learner = Learner(divergence, OuterSGD().build(), augment)
        flat, unravel = ravel_pytree(learner.init(u, Unroll(6, 0.2, spread)).learned)

        @jax.jit
        def loss(flat):
            return learner.loss(jr.key(5), problem, unravel(flat))

        @jax.jit
        @jax.vmap
        def slope(direction):
            return (loss(flat + 1e-5 * direction) - loss(flat - 1e-5 * direction)) / 2e-5

        gradient, slopes = jax.jit(jax.grad(loss))(flat), slope(jnp.eye(len(flat)))
        assert gradient.dtype == jnp.float64
        assert np.linalg.norm(gradient - slopes) < 1e-7 * np.linalg.norm(slopes)
        rate = unravel(gradient).infer.rate
        np.testing.assert_allclose(rate, unravel(slopes).infer.rate, rtol=1e-6)
        assert abs(float(rate)) > 1e-3


STORED = 75 * 4 * pictures()[0].model.layout.size  # of steps 6 to 80


def test_an_outer_step_keeps_the_parameters_of_every_inner_step_and_no_more():
    few, many = (step_bytes(Wasserstein(), Unroll(steps=steps)) for steps in (5, 80))
    assert many - few < 1.1 * STORED


def test_activations_of_every_step_would_need_more(monkeypatch):
    few, many = (step_bytes(Wasserstein(), Eager(steps=steps)) for steps in (5, 80))
    assert many - few > 10 * STORED


class Eager(Unroll):
    """An unroll without checkpoints: what the guard above is there to find."""

    def __call__(self, key, model, source, start) -> Gaussian:
        def descend(theta, key_draw):
            return theta + self.rate * jax.grad(model.loglik)(theta, source.draw(key_draw)), None

        end, _ = jax.lax.scan(descend, start, jr.split(key, self.steps))
        return Gaussian(end, self.spread(start[None]))
