"""The streamed mean is the plain mean, in value and gradient, in memory that does not grow."""

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from tests.worlds.outer import noise, separable, step_bytes

from pseudocore.data import labelled
from pseudocore.divergences import Divergence, ForwardKL, Match, ReverseKL
from pseudocore.divergences.forward_kl import contrast
from pseudocore.expectation import streamed_mean
from pseudocore.infer import Unroll
from pseudocore.learn import Learned, Learner
from pseudocore.optimise import OuterSGD
from pseudocore.posterior import detach

DRAWS = 7


def plain_mean(operand, f, draws, constants):
    """What the streamed mean must equal: all draws at once, differentiated by jax."""
    return jax.vmap(lambda draw: f(operand, draw, constants))(draws).mean()


def wave(operand, draw, constants):
    """A function of every leaf, of a random number and of a weight."""
    key, weight = draw
    leaves = [leaf * constants for leaf in jax.tree.leaves(operand)]
    return weight * sum(jnp.sin(leaf + jr.normal(key, leaf.shape)).sum() for leaf in leaves)


OPERANDS = {
    "array": lambda: jnp.linspace(-1, 1, 5),
    "nested": lambda: {"a": jnp.linspace(0, 1, 6).reshape(2, 3), "b": (jnp.arange(2.0), None)},
    "data": lambda: labelled(jnp.linspace(-1, 1, 8).reshape(4, 2), jnp.arange(4) % 2, 2),
    "integers": lambda: (jnp.linspace(-1, 1, 5), jnp.arange(3), jnp.asarray(True)),
}


def draws():
    return jr.split(jr.key(0), DRAWS), jnp.linspace(-1, 2, DRAWS)


@pytest.mark.parametrize("make", OPERANDS.values(), ids=OPERANDS)
def test_value_and_gradient_are_those_of_the_plain_mean(make):
    with jax.enable_x64(True):
        operand, constants = make(), jnp.asarray(1.7)

        @eqx.filter_jit
        @eqx.filter_value_and_grad
        def of(operand, mean):
            return 3 * mean(operand, wave, draws(), constants) ** 2

        (value, gradient), (plain, expected) = of(operand, streamed_mean), of(operand, plain_mean)
        np.testing.assert_allclose(value, plain, rtol=1e-12)
        assert jax.tree.structure(gradient) == jax.tree.structure(expected)
        for a, b in zip(jax.tree.leaves(gradient), jax.tree.leaves(expected), strict=True):
            assert a.dtype == jnp.float64
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


def test_without_a_gradient_it_is_a_mean():
    with jax.enable_x64(True):
        operand, constants = OPERANDS["array"](), jnp.asarray(1.7)
        value = streamed_mean(operand, wave, draws(), constants)
        np.testing.assert_allclose(value, plain_mean(operand, wave, draws(), constants), rtol=1e-12)


@pytest.mark.parametrize("wrap", [lambda f: f, jax.value_and_grad], ids=["value", "gradient"])
def test_no_draw_is_computed_twice(wrap):
    seen = []

    def spy(operand, draw, constants):
        jax.debug.callback(lambda draw: seen.append(int(draw)), draw)
        return jnp.sum(operand) * draw

    jax.jit(wrap(lambda u: streamed_mean(u, spy, jnp.arange(5.0), None)))(jnp.ones(2))
    jax.effects_barrier()
    assert sorted(seen) == [0, 1, 2, 3, 4]


def test_a_gradient_that_would_be_lost_is_refused():
    """Constants carry none: asking for it is an error and not a zero."""

    def of(constants):
        return streamed_mean(jnp.ones(2), wave, draws(), constants)

    with pytest.raises(RuntimeError, match="cannot be autodifferentiated"):
        jax.grad(of)(jnp.asarray(1.7))


class Unstreamed(Divergence):
    """Forward KL as one would write it first: all draws side by side, then differentiated."""

    draws: int = eqx.field(static=True, default=30)

    def __call__(self, key, match: Match):
        constants = detach((match.model, match.q_u, match.q_x))
        return plain_mean(match.u, contrast, jr.split(key, self.draws), constants)


def test_forward_kl_s_gradient_is_that_of_all_draws_at_once():
    with jax.enable_x64(True):
        problem, u = jax.tree.map(double, (separable(), noise()))

        @eqx.filter_jit
        @eqx.filter_value_and_grad
        def of(learned: Learned, learner: Learner):
            return learner.loss(jr.key(0), problem, learned)

        one, other = (Learner(D(draws=9), OuterSGD().build()) for D in (ForwardKL, Unstreamed))
        learned = one.init(u, Unroll(steps=4, rate=0.1)).learned
        streamed, plain = of(learned, one), of(learned, other)
        assert float(jnp.abs(plain[1].u.x).max()) > 1e-4
        for a, b in zip(jax.tree.leaves(streamed), jax.tree.leaves(plain), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-14)


def double(leaf):
    return leaf.astype(jnp.float64) if eqx.is_inexact_array(leaf) else leaf


@pytest.mark.parametrize("divergence", [ForwardKL, ReverseKL])
def test_the_memory_of_an_outer_step_does_not_grow_with_the_draws(divergence):
    assert step_bytes(divergence(draws=64)) < 1.1 * step_bytes(divergence(draws=4))


def test_the_memory_of_all_draws_at_once_would_grow():
    assert step_bytes(Unstreamed(draws=64)) > 10 * step_bytes(Unstreamed(draws=4))
