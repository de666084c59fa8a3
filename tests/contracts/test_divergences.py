"""What every divergence promises. A newcomer adds one row to `CLAIMS` and inherits the suite.

In a world where both posteriors are known, the gradient of the loss in the points u and in their
weights is that of the closed form that the row names. The posterior q_u handed over is always
differentiable in u, so a divergence that should detach it and does not is found out too.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from tests.worlds.gaussian import Location, exact, kl, means, points, w2

import pseudocore.divergences
from pseudocore.augment import Augment
from pseudocore.data import Augmented, Data, Minibatches
from pseudocore.divergences import (
    DiagonalWasserstein,
    Divergence,
    ForwardKL,
    Match,
    ReverseKL,
    Wasserstein,
)
from pseudocore.posterior import Empirical, Gaussian

KEYS = 30_000
# Of a few hundred coordinates under fixed keys; a wrong claim lies above TOLD_APART.
WITHIN, TOLD_APART = 4.0, 20.0


class Claim(NamedTuple):
    """The closed form whose gradient a divergence estimates, and how."""

    divergence: Divergence
    closed: Callable[[Gaussian, Gaussian, jax.Array], Any]  # of q_u, q_x, and the expert's move
    factor: float = 1.0  # the expectation of the estimate, as a multiple of the gradient
    random: bool = True


CLAIMS = [
    Claim(ForwardKL(draws=5), lambda q_u, q_x, move: kl(q_x, q_u)),
    # The covariance with 1/S is biased by (S-1)/S.
    Claim(ReverseKL(draws=5), lambda q_u, q_x, move: kl(q_u, q_x), factor=4 / 5),
    Claim(Wasserstein(), lambda q_u, q_x, move: means(q_u, q_x) / move, random=False),
    Claim(DiagonalWasserstein(), lambda q_u, q_x, move: w2(q_u, q_x) / move, random=False),
]
BY_NAME = {claim.divergence.name: claim for claim in CLAIMS}
every = pytest.mark.parametrize("claim", CLAIMS, ids=list(BY_NAME))


class World(NamedTuple):
    model: Location
    u: Data
    x: Data
    start: jax.Array

    def match(self, u: Data, /, **changes: Any) -> Match:
        sides = {"u": u, "x": self.x, "q_u": exact(self.model, u), "q_x": exact(self.model, self.x)}
        return Match(self.model, start=self.start, **(sides | changes))


@pytest.fixture(scope="module")
def world() -> World:
    """Four points that carry another mass than twelve, at another place, under unequal noise."""
    keys = jr.split(jr.key(0), 3)
    model = Location.at(jnp.array([0.8, 1.2, 2.0]))
    u = points(keys[0], 4, [0.6, 1.4, 0.5, 1.0], around=0.5)
    x = points(keys[1], 12, jnp.ones(12) / 2, around=-0.2)
    return World(model, u, x, jr.normal(keys[2], (3,)))


def truth(world: World, closed: Callable) -> np.ndarray:
    """The gradient of a closed form in the points and in the weights, in one vector."""
    q_x = exact(world.model, world.x)
    move = jnp.sum((world.start - q_x.mean()) ** 2)
    return flat(jax.grad(lambda u: closed(exact(world.model, u), q_x, move))(world.u))


def flat(u: Data) -> np.ndarray:
    x, w = np.asarray(u.x, np.float64), np.asarray(u.w, np.float64)
    return np.concatenate([x.reshape(*x.shape[:-2], -1), w], axis=-1)


def estimates(world: World, divergence: Divergence, match: Callable) -> np.ndarray:
    """One gradient for each of many keys."""

    @jax.jit
    @jax.vmap
    def gradient(key):
        return jax.grad(lambda u: divergence(key, match(u)))(world.u)

    return flat(gradient(jr.split(jr.key(1), KEYS)))


def sigmas(estimated: np.ndarray, claimed: np.ndarray) -> float:
    """How many standard errors the mean lies from a claim, in its worst coordinate."""
    error = estimated.std(axis=0) / len(estimated) ** 0.5
    rounding = 1e-6 * np.abs(estimated).max()  # what float32 leaves of a gradient without noise
    return float(np.max(np.abs(estimated.mean(axis=0) - claimed) / (error + rounding)))


@pytest.fixture(scope="module")
def found(world):
    """The gradients of every divergence, found once."""
    return {
        name: estimates(world, claim.divergence, world.match) for name, claim in BY_NAME.items()
    }


@every
def test_the_gradient_is_that_of_the_closed_form(claim: Claim, world, found):
    """In points and weights, within Monte-Carlo error of many keys."""
    mean = claim.factor * truth(world, claim.closed)
    assert sigmas(found[claim.divergence.name], mean) < WITHIN


@every
def test_a_wrong_claim_would_be_found_out(claim: Claim, world, found):
    """The wrong sign, no gradient at all, or what another row claims: all many sigmas away."""
    wrong = [other.closed for other in CLAIMS if other.closed is not claim.closed]
    claims = [claim.factor * truth(world, closed) for closed in wrong]
    right = claim.factor * truth(world, claim.closed)
    for claimed in [-right, 0 * right, *claims]:
        assert sigmas(found[claim.divergence.name], claimed) > TOLD_APART


@every
def test_a_key_repeats_to_the_bit_and_another_differs(claim: Claim, world):
    @jax.jit
    def value_and_gradient(key):
        return jax.value_and_grad(lambda u: claim.divergence(key, world.match(u)))(world.u)

    first, again, other = (value_and_gradient(jr.key(seed)) for seed in (0, 0, 1))
    assert jnp.isfinite(first[0])
    assert first[0].shape == ()
    assert same(first, again)
    assert same(first, other) is not claim.random


def same(one: Any, other: Any) -> bool:
    leaves = zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True)
    return all(bool(jnp.array_equal(a, b)) for a, b in leaves)


@every
def test_an_equal_value_compiles_once(claim: Claim, world):
    again = eval(repr(claim.divergence), vars(pseudocore.divergences))
    assert again == claim.divergence
    assert hash(again) == hash(claim.divergence)
    traced = []

    @eqx.filter_jit
    def call(divergence: Divergence, key):
        traced.append(divergence)
        return divergence(key, world.match(world.u))

    assert same(call(claim.divergence, jr.key(0)), call(again, jr.key(0)))
    assert len(traced) == 1


def test_the_names_in_tables_differ():
    assert len(BY_NAME) == len(CLAIMS)


def test_forward_kl_with_its_sides_swapped_flips_its_sign(world):
    def swapped(u):
        return world.match(u, q_u=exact(world.model, world.x), q_x=exact(world.model, u))

    claimed = truth(world, BY_NAME["fKL"].closed)
    estimated = estimates(world, ForwardKL(draws=5), swapped)
    assert sigmas(estimated, -claimed) < WITHIN
    assert sigmas(estimated, claimed) > TOLD_APART


def test_reverse_kl_is_biased_by_the_number_of_draws(world, found):
    """(S-1)/S: at five draws the uncorrected claim is resolved, so the factor is no formality."""
    claimed = truth(world, BY_NAME["rKL"].closed)
    assert sigmas(found["rKL"], claimed) > 7


def test_reverse_kl_takes_real_points_in_batches(world):
    """Minibatches that stand for the whole leave the expectation where it was."""

    def batched(u):
        return world.match(u, x=Minibatches(world.x, 5))

    claimed = 4 / 5 * truth(world, BY_NAME["rKL"].closed)
    estimated = estimates(world, ReverseKL(draws=5), batched)
    assert sigmas(estimated, claimed) < WITHIN


def test_wasserstein_is_w2_in_the_points_but_not_in_the_weights(world, found):
    """The weights move the covariance here, by the trace term that it leaves out."""
    claimed = truth(world, BY_NAME["W-diagonal"].closed)
    in_points = world.u.x.size
    estimated = found["W"]
    assert sigmas(estimated[:, :in_points], claimed[:in_points]) < WITHIN
    assert sigmas(estimated[:, in_points:], claimed[in_points:]) > TOLD_APART


@pytest.mark.parametrize(
    "claim", [c for c in CLAIMS if not c.random], ids=lambda c: c.divergence.name
)
def test_a_loss_without_draws_is_the_closed_form_itself(claim: Claim, world):
    q_u, q_x = exact(world.model, world.u), exact(world.model, world.x)
    move = jnp.sum((world.start - q_x.mean()) ** 2)
    value = claim.divergence(jr.key(0), world.match(world.u))
    np.testing.assert_allclose(value, claim.closed(q_u, q_x, move), rtol=1e-6)


def test_diagonal_wasserstein_refuses_a_chain(world):
    chain = Empirical(jnp.zeros((4, 3)))
    with pytest.raises(TypeError, match="Unroll"):
        DiagonalWasserstein()(jr.key(0), world.match(world.u, q_u=chain))


class Jitter(Augment):
    """x -> x + noise."""

    def __call__(self, key, x):
        return x + jr.normal(key, x.shape)


def test_forward_kl_shows_both_sides_one_augmentation(world):
    """Between two equal points of mass the contrast is nothing, whatever was drawn."""
    point = Gaussian(jnp.array([0.4, -0.1, 0.9]), jnp.zeros(()))
    match = world.match(world.u, u=Augmented(world.u, Jitter()), q_u=point, q_x=point)
    assert ForwardKL(draws=7)(jr.key(0), match) == 0


def test_forward_kl_augments_every_draw_anew(world):
    match = world.match(world.u, u=Augmented(world.u, Jitter()))
    still = eqx.tree_at(lambda m: (m.q_u.scale, m.q_x.scale), match, (jnp.zeros(3), jnp.zeros(3)))
    values = jax.vmap(lambda key: ForwardKL(draws=1)(key, still))(jr.split(jr.key(0), 50))
    many = ForwardKL(draws=50)(jr.key(1), still)
    error = values.std() / 50**0.5
    assert error > 0.01
    assert abs(many - values.mean()) < 4 * 2**0.5 * error


def test_reverse_kl_sees_u_without_augmentation(world):
    plain = world.match(world.u)
    augmented = world.match(world.u, u=Augmented(world.u, Jitter()))
    assert same(*(ReverseKL()(jr.key(0), match) for match in (plain, augmented)))
