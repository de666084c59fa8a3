"""What every divergence promises. A newcomer adds one row to `CLAIMS` and inherits the suite.

In worlds where both posteriors are known, the gradient of the loss in the points of u, in their
labels and in their weights is that of the closed form that the row names, for twenty seeds that
each draw u, x, a start and many keys. The posterior q_u handed over is always differentiable in u,
so a divergence that should detach it and does not is found out too.
"""

import dataclasses
import functools
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from tests.worlds.gaussian import WORLDS, correlated, mean_field, means, points

import pseudocore.divergences
from pseudocore.augment import Augment
from pseudocore.data import Augmented, Data, Minibatches
from pseudocore.divergences import (
    L2,
    DiagonalWasserstein,
    Divergence,
    ForwardKL,
    InnerProduct,
    LayerCosine,
    Match,
    ReverseKL,
    Wasserstein,
)
from pseudocore.gaussian import kl, w2
from pseudocore.posterior import Correlated, Empirical, Gaussian, Posterior, detach
from pseudocore.types import PRNGKey, Scalar, Theta

SEEDS, KEYS = 20, 5000
# Of several hundred coordinates under fixed keys; a wrong claim lies above TOLD_APART.
WITHIN, TOLD_APART = 4.0, 20.0


# What runs once or twice: it compiles in a third of the time.
jit = functools.partial(eqx.filter_jit, compiler_options={"xla_backend_optimization_level": 0})


class Claim(NamedTuple):
    """The closed form whose gradient a divergence estimates, and how."""

    divergence: Divergence
    closed: Callable[[Match], Scalar]  # differentiated in all of the match that depends on u
    views: str  # through which its own terms see u: "none", "one", or "one a draw"
    factor: float = 1.0  # the expectation of the estimate, as a multiple of the gradient
    random: bool = True  # if not, the loss is the closed form itself
    family: Callable[[Correlated], Posterior] = lambda q: q  # what becomes of both posteriors
    worlds: tuple[str, ...] = tuple(WORLDS)  # where it has a closed form


def move(match: Match) -> Scalar:
    """How far the expert went, squared."""
    return jnp.sum((match.start - match.q_x.mean()) ** 2)


def uphill(match: Match) -> tuple[Theta, Theta]:
    """∇l_u and ∇l_x at the mean of π_u, which is held: Σ⁻¹(m - θ) less what the prior adds."""
    theta, model = detach(match.q_u.mean()), match.model
    prior = model.prior_precision @ (model.centre - theta)
    q_u, q_x = match.q_u, match.q_x
    g_u, g_x = (jnp.linalg.solve(q.covariance, q.centre - theta) - prior for q in (q_u, q_x))
    return g_u, g_x


def angle(g_u: Theta, g_x: Theta) -> Scalar:
    """1 - cos, of a layer with one output."""
    return 1 - g_u @ g_x / jnp.sqrt((g_u @ g_u) * (g_x @ g_x))


CLAIMS = [
    Claim(ForwardKL(draws=5), lambda match: kl(match.q_x, match.q_u), "one a draw"),
    # The covariance with 1/S is biased by (S-1)/S.
    Claim(ReverseKL(draws=5), lambda match: kl(match.q_u, match.q_x), "none", factor=4 / 5),
    Claim(
        Wasserstein(),
        lambda match: means(match.q_u, match.q_x) / move(match),
        "none",
        random=False,
    ),
    Claim(
        DiagonalWasserstein(),
        lambda match: w2(correlated(match.q_u), correlated(match.q_x)) / move(match),
        "none",
        random=False,
        family=mean_field,
    ),
    Claim(
        L2(),
        lambda match: 0.5 * jnp.sum(jnp.subtract(*uphill(match)) ** 2),
        "one",
        random=False,
    ),
    Claim(InnerProduct(), lambda match: -jnp.dot(*uphill(match)), "one", random=False),
    Claim(
        LayerCosine(),
        lambda match: angle(*uphill(match)),
        "one",
        random=False,
        worlds=("regression",),
    ),
]
BY_NAME = {claim.divergence.name: claim for claim in CLAIMS}
ROWS = [(name, world) for name, claim in BY_NAME.items() for world in claim.worlds]
every = pytest.mark.parametrize("name", BY_NAME)
everywhere = pytest.mark.parametrize(("name", "world"), ROWS)


class Scene(eqx.Module):
    """Four points against twelve of another mass at another place, and where both begin."""

    u: Data
    x: Data
    start: Theta

    @classmethod
    def of(cls, key: PRNGKey) -> "Scene":
        key_u, key_x, key_start = jr.split(key, 3)
        x = points(key_x, 12, around=-0.2).with_mass(6.0)
        return cls(points(key_u, 4, around=0.5), x, jr.normal(key_start, (3,)))


SCENES = jax.jit(jax.vmap(Scene.of))(jr.split(jr.key(0), SEEDS))
ONE = jax.tree.map(lambda leaf: leaf[0], SCENES)
# The coordinates of u in the order of its leaves.
WHERE = [f"x[{i},{j}]" for i in range(4) for j in range(3)]
WHERE += [f"{part}[{i}]" for part in "yw" for i in range(4)]
PARTS = {part: [where[0] == part for where in WHERE] for part in "xyw"}


MODELS = {name: make() for name, make in WORLDS.items()}


def match(
    world: str, scene: Scene, u: Data, family: Callable = lambda q: q, /, **changes: Any
) -> Match:
    model = MODELS[world]
    q_u, q_x = (family(model.posterior(data)) for data in (u, scene.x))
    sides = {"u": u, "x": scene.x, "q_u": q_u, "q_x": q_x}
    return Match(model, start=scene.start, **(sides | changes))


def flat(u: Data, axes: int) -> np.ndarray:
    """All of u in one vector, after axes for seeds and keys."""
    leaves = (np.asarray(leaf, np.float64) for leaf in jax.tree.leaves(u))
    return np.concatenate([leaf.reshape(*leaf.shape[:axes], -1) for leaf in leaves], axis=-1)


WHOLE_W2 = Claim(Wasserstein(), lambda match: w2(match.q_u, match.q_x) / move(match), "none")


@functools.cache
def truths(world: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The values and gradients that the rows claim, one a seed."""

    @jit
    @jax.vmap
    def of(scene):
        def closed(claim: Claim):
            return lambda u: claim.closed(match(world, scene, u, claim.family))

        claims = {name: BY_NAME[name] for name, where in ROWS if where == world}
        claims["whole W2"] = WHOLE_W2
        return {name: jax.value_and_grad(closed(claim))(scene.u) for name, claim in claims.items()}

    found = of(SCENES)
    return {name: (np.asarray(value), flat(slope, 1)) for name, (value, slope) in found.items()}


def truth(name: str, world: str) -> np.ndarray:
    """The gradient that a row expects of the mean of its estimates."""
    return BY_NAME[name].factor * truths(world)[name][1]


class Estimates(NamedTuple):
    """The loss and the gradient of every key: seeds x keys."""

    loss: np.ndarray
    slope: Data

    def z(self, claimed: np.ndarray) -> np.ndarray:
        """How many standard errors the mean lies from a claim: seeds x coordinates."""
        slope = flat(self.slope, 2)
        error = slope.std(axis=1) / slope.shape[1] ** 0.5
        # What float32 leaves of a gradient without noise.
        size = np.maximum(np.abs(slope).max(axis=(1, 2)), np.abs(claimed).max(axis=1))
        return np.abs(slope.mean(axis=1) - claimed) / (error + 3e-5 * size[:, None])


def worst(z: np.ndarray) -> str:
    seed, place = np.unravel_index(z.argmax(), z.shape)
    return f"z = {z.max():.2f} in {WHERE[place]} of seed {seed}"


def estimator(divergence: Divergence, of: Callable[[Scene, Data], Match]) -> Callable:
    """Keys (seeds x keys) -> Estimates, compiled once."""

    def one(key, scene):
        return jax.value_and_grad(lambda u: divergence(key, of(scene, u)))(scene.u)

    every_key = jit(jax.vmap(jax.vmap(one, (0, None))))
    return lambda keys: Estimates(*jax.device_get(every_key(keys, SCENES)))


@functools.cache
def estimator_of(name: str, world: str) -> Callable:
    claim = BY_NAME[name]
    return estimator(claim.divergence, lambda scene, u: match(world, scene, u, claim.family))


def keys(random: bool = True, seed: int = 1):
    """As many a seed as show the mean; two where nothing is random."""
    return jr.split(jr.key(seed), (SEEDS, KEYS if random else 2))


@functools.cache
def found(name: str, world: str) -> Estimates:
    return estimator_of(name, world)(keys(BY_NAME[name].random))


@everywhere
def test_the_gradient_is_that_of_the_closed_form(name, world):
    """In points, labels and weights of every seed, within Monte-Carlo error of many keys."""
    z = found(name, world).z(truth(name, world))
    assert z.max() < WITHIN, worst(z)


@everywhere
def test_a_wrong_claim_would_be_found_out(name, world):
    """The wrong sign, a part of u without gradient, or what another row claims."""
    right = truth(name, world)
    wrong = {"minus": -right}
    for part, where in PARTS.items():
        # In the location world the labels have no gradient to lose.
        if right[:, where].any():
            wrong[f"no gradient in {part}"] = np.where(where, 0, right)
    for other, where in ROWS:
        if where == world and other != name:
            wrong[other] = BY_NAME[name].factor * truths(world)[other][1]
    seen = {what: found(name, world).z(claimed).max() for what, claimed in wrong.items()}
    assert min(seen.values()) > TOLD_APART, seen


@everywhere
def test_a_tenth_too_much_would_be_found_out_in_every_part(name, world):
    right = truth(name, world)
    z = found(name, world).z(1.1 * right)
    for part, where in PARTS.items():
        if right[:, where].any():
            assert z[:, where].max() > WITHIN, part


@every
def test_a_key_repeats_to_the_bit_and_another_differs(name):
    claim = BY_NAME[name]
    estimate, first = estimator_of(name, claim.worlds[-1]), found(name, claim.worlds[-1])
    again, other = (estimate(keys(claim.random, seed)) for seed in (1, 2))
    assert np.isfinite(first.loss).all()
    assert same(first, again)
    assert same(first, other) is not claim.random


def same(one: Any, other: Any) -> bool:
    leaves = zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True)
    return all(bool(jnp.array_equal(a, b)) for a, b in leaves)


@every
def test_an_equal_value_compiles_once(name):
    claim = BY_NAME[name]
    again = eval(repr(claim.divergence), vars(pseudocore.divergences))
    assert again == claim.divergence
    assert hash(again) == hash(claim.divergence)
    sides = match(claim.worlds[-1], ONE, ONE.u, claim.family)
    traced = []

    @eqx.filter_jit
    def call(divergence: Divergence, key):
        traced.append(divergence)
        return divergence(key, sides)

    assert same(call(claim.divergence, jr.key(0)), call(again, jr.key(0)))
    assert len(traced) == 1


def test_the_names_in_tables_differ():
    assert len(BY_NAME) == len(CLAIMS)


def test_every_divergence_that_is_exported_has_a_row():
    exported = [a for a in vars(pseudocore.divergences).values() if inspect.isclass(a)]
    divergences = {a for a in exported if issubclass(a, Divergence) and not inspect.isabstract(a)}
    assert divergences == {type(claim.divergence) for claim in CLAIMS}


@pytest.mark.parametrize(
    ("name", "world"), [(name, world) for name, world in ROWS if not BY_NAME[name].random]
)
def test_a_loss_without_draws_is_the_closed_form_itself(name, world):
    losses = found(name, world).loss[:, 0]
    np.testing.assert_allclose(losses, truths(world)[name][0], rtol=1e-4)


def test_forward_kl_with_its_sides_swapped_flips_its_sign():
    def swapped(scene, u):
        sides = match("regression", scene, u)
        return match("regression", scene, u, q_u=sides.q_x, q_x=sides.q_u)

    claimed = truth("fKL", "regression")
    estimates = estimator(ForwardKL(draws=5), swapped)(keys())
    z = estimates.z(-claimed)
    assert z.max() < WITHIN, worst(z)
    assert estimates.z(claimed).max() > TOLD_APART


@pytest.mark.parametrize("world", WORLDS)
def test_reverse_kl_is_biased_by_the_number_of_draws(world):
    """(S-1)/S: at five draws the uncorrected claim is resolved, so the factor is no formality."""
    assert found("rKL", world).z(truths(world)["rKL"][1]).max() > 2 * WITHIN


def test_reverse_kl_takes_real_points_in_batches():
    """Minibatches that stand for the whole leave the expectation where it was."""

    def batched(scene, u):
        return match("regression", scene, u, x=Minibatches(scene.x, 5))

    z = estimator(ReverseKL(draws=5), batched)(keys()).z(truth("rKL", "regression"))
    assert z.max() < WITHIN, worst(z)


@pytest.mark.parametrize(("world", "yes", "no"), [("location", "x", "w"), ("regression", "y", "x")])
def test_wasserstein_is_w2_where_only_the_mean_moves(world, yes, no):
    """The trace term that it leaves out moves with the weights, and in a regression with x."""
    z = found("W", world).z(truths(world)["whole W2"][1])
    assert z[:, PARTS[yes]].max() < WITHIN
    assert z[:, PARTS[no]].max() > TOLD_APART


def test_diagonal_wasserstein_refuses_a_chain():
    chain = Empirical(jnp.zeros((4, 3)))
    with pytest.raises(TypeError, match="Unroll"):
        DiagonalWasserstein()(jr.key(0), match("regression", ONE, ONE.u, q_u=chain))


class Jitter(Augment):
    """x -> x + noise."""

    def __call__(self, key, x):
        return x + jr.normal(key, x.shape)


@jit
def loss(divergence: Divergence, key, sides: Match):
    return divergence(key, sides)


def jittered(**changes: Any) -> Match:
    return match("regression", ONE, ONE.u, u=Augmented(ONE.u, Jitter()), **changes)


def test_forward_kl_shows_both_sides_one_augmentation():
    """Between two equal points of mass the contrast is nothing, whatever was drawn."""
    point = Gaussian(jnp.array([0.4, -0.1, 0.9]), jnp.zeros(()))
    assert loss(ForwardKL(draws=7), jr.key(0), jittered(q_u=point, q_x=point)) == 0


VIEWS = {view: [c for c in CLAIMS if c.views == view] for view in ("none", "one", "one a draw")}


def by_views(*views: str):
    rows = [claim for view in views for claim in VIEWS[view]]
    return pytest.mark.parametrize("claim", rows, ids=lambda claim: claim.divergence.name)


def at_points(**changes: Any) -> Match:
    """Student and expert are points: all that is random is what the augmentation does."""
    here, there = (Gaussian(jnp.full(3, place), jnp.zeros(())) for place in (0.5, -0.5))
    return jittered(q_u=here, q_x=there, **changes)


def test_every_row_says_through_which_views_u_is_seen():
    assert sum(map(len, VIEWS.values())) == len(CLAIMS)


@by_views("none")
def test_u_is_seen_without_augmentation(claim: Claim):
    wide = {
        name: Gaussian(jnp.full(3, at), jnp.ones(3)) for name, at in (("q_u", 0.0), ("q_x", 1.0))
    }
    plain = match("regression", ONE, ONE.u, **wide)
    seen, augmented = (
        loss(claim.divergence, jr.key(0), sides) for sides in (plain, jittered(**wide))
    )
    assert seen != 0
    assert same(seen, augmented)


@jit
def spread(divergence: Divergence, keys) -> Scalar:
    """The variance of the loss over keys."""
    return jax.vmap(lambda key: divergence(key, at_points()))(keys).var()


@by_views("one", "one a draw")
def test_u_is_seen_through_a_new_view_for_every_key(claim: Claim):
    assert spread(claim.divergence, jr.split(jr.key(0), 50)) > 1e-4


@by_views("one a draw")
def test_u_is_seen_through_a_new_view_in_every_draw(claim: Claim):
    """So that the variance falls as one over their number."""
    few, many = (
        spread(dataclasses.replace(claim.divergence, draws=draws), jr.split(jr.key(0), 400))
        for draws in (2, 32)
    )
    assert 8 < few / many < 32
