"""What every inference promises. A newcomer adds one row to `CLAIMS` and inherits the suite.

In worlds where the posterior is known, the draws of what an inference returns have the moments of
the Gaussian that its row names, wherever it starts: the posterior itself, the mode that gradient
descent ends at with the spread it was given, or the law of a sampler whose step is finite.
"""

import functools
import inspect
from collections.abc import Callable
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from scipy.linalg import solve_discrete_lyapunov
from tests.worlds.gaussian import WORLDS, correlated, mean_field, points

import pseudocore.gaussian
import pseudocore.infer
import pseudocore.kernels
import pseudocore.posterior
from pseudocore.data import Data, Minibatches
from pseudocore.gaussian import Conjugate, Exact
from pseudocore.infer import MCMC, Infer, Unroll
from pseudocore.kernels import HMC, SGHMC
from pseudocore.metrics import ess
from pseudocore.model import Model
from pseudocore.networks import Linear
from pseudocore.posterior import Correlated, Empirical, Fixed

CHAINS, KEPT = 100, 300
# Of a hundred statistics under fixed keys; a wrong law lies above TOLD_APART.
WITHIN, TOLD_APART = 4.0, 8.0


class Claim(NamedTuple):
    """The Gaussian that an inference returns or samples, given the model and its data."""

    infer: Infer
    law: Callable[[Infer, Conjugate, Data], Correlated]
    random: bool = True
    differentiable: bool = False  # the posterior's gradient in the data is that of the law


def posterior(infer: Infer, model: Conjugate, u: Data) -> Correlated:
    return model.posterior(u)


def around_the_mode(infer: Unroll, model: Conjugate, u: Data) -> Correlated:
    """The maximum of the likelihood is what the posterior's mean is without a prior."""
    flat = eqx.tree_at(lambda model: model.prior_precision, model, jnp.zeros((3, 3)))
    return Correlated(flat.posterior(u).centre, infer.spread(jnp.zeros((2, 3))) * jnp.eye(3))


def discretised(infer: MCMC, model: Conjugate, u: Data) -> Correlated:
    """The stationary law of z' = z + ε r, r' = (1-α) r - ε P z' + noise, in the chain's units."""
    kernel, one, exact = infer.kernel, np.eye(3), model.posterior(u)
    unit = np.asarray(infer.units.of(model), np.float64)
    precision = np.linalg.inv(exact.covariance / np.outer(unit, unit))
    step, keep = kernel.step_size, 1 - kernel.friction
    drift = np.block([[one, step * one], [0 * one, one]])
    kick = np.block([[one, 0 * one], [-step * precision, keep * one]])
    heat = 2 * kernel.friction * kernel.temperature * np.diag([0.0] * 3 + [1.0] * 3)
    covariance = solve_discrete_lyapunov(kick @ drift, heat)[:3, :3] * np.outer(unit, unit)
    return Correlated(exact.centre, jnp.asarray(np.linalg.cholesky(covariance), jnp.float32))


CLAIMS = {
    "exact": Claim(Exact(), posterior, random=False, differentiable=True),
    "unroll": Claim(
        Unroll(steps=400, rate=0.05, spread=Fixed(0.2)),
        around_the_mode,
        random=False,
        differentiable=True,
    ),
    "hmc": Claim(MCMC(HMC(0.2, 8), iterations=KEPT + 50, burn=50), posterior),
    "sghmc": Claim(MCMC(SGHMC(0.05, 30, friction=0.03), KEPT + 50, 50), discretised),
}
every = pytest.mark.parametrize("name", CLAIMS)
both = pytest.mark.parametrize("world", WORLDS)
MODELS = {world: make() for world, make in WORLDS.items()}
U = points(jr.key(0), 8, around=0.5)


FAR = 3 * jr.normal(jr.key(1), (CHAINS, 3))
TRACED = []


# It runs a few times, and compiles in a third of the time.
@eqx.filter_jit(compiler_options={"xla_backend_optimization_level": 0})
def run(key, infer: Infer, model: Conjugate, u: Data, starts):
    """Means and draws (chains x kept x 3) of one posterior a start."""
    TRACED.append(infer)

    def one(key, start):
        key_run, key_draws = jr.split(key)
        found = infer(key_run, model, u, start)
        if isinstance(found, Empirical):
            return found.mean(), found.draws
        return found.mean(), jax.vmap(found.sample)(jr.split(key_draws, KEPT))

    return jax.vmap(one)(jr.split(key, CHAINS), starts)


@functools.cache
def found(name: str, world: str) -> tuple[np.ndarray, np.ndarray]:
    return jax.device_get(run(jr.key(0), CLAIMS[name].infer, MODELS[world], U, FAR))


def law(name: str, world: str, u: Data = U) -> Correlated:
    return CLAIMS[name].law(CLAIMS[name].infer, MODELS[world], u)


PAIRS = [(i, j) for i in range(3) for j in range(i, 3)]
MOMENTS = [f"mean {i}" for i in range(3)] + [f"covariance {i}{j}" for i, j in PAIRS]
MOMENTS += [f"fourth moment {i}" for i in range(3)]
worths = jax.jit(jax.vmap(ess, in_axes=2))


def z(draws: np.ndarray, claimed: Correlated) -> np.ndarray:
    """How far every moment about the claimed centre lies from the claim, in standard errors."""
    c, covariance = draws.astype(np.float64) - claimed.centre, np.asarray(claimed.covariance)
    values = [c[..., i] for i in range(3)] + [c[..., i] * c[..., j] for i, j in PAIRS]
    values = np.stack(values + [c[..., i] ** 4 for i in range(3)], axis=-1)
    truth = [*np.zeros(3), *(covariance[i, j] for i, j in PAIRS), *(3 * np.diag(covariance) ** 2)]
    worth = np.asarray(worths(jnp.asarray(values, jnp.float32)))
    return np.abs(values.mean(axis=(0, 1)) - truth) / (values.std(axis=(0, 1)) / np.sqrt(worth))


@both
@every
def test_mean_covariance_and_fourth_moment_are_those_of_the_law(name, world):
    score = z(found(name, world)[1], law(name, world))
    assert score.max() < WITHIN, f"z = {score.max():.2f} in {MOMENTS[score.argmax()]}"


@both
@every
def test_the_mean_of_what_it_returns_is_that_of_the_law(name, world):
    means, centre = found(name, world)[0], law(name, world).centre
    error = means.std(axis=0) / CHAINS**0.5 + 1e-5  # what float32 leaves of a mean without chance
    score = np.abs(means.mean(axis=0) - centre) / error
    assert score.max() < WITHIN, score


@both
@every
def test_a_wrong_law_would_be_found_out(name, world):
    """A tenth too wide, without correlations, or deaf to the weights or the labels."""
    right = law(name, world)
    wrong = {
        "wide": Correlated(right.centre, 1.1**0.5 * right.factor),
        "weights": law(name, world, Data(U.x, U.y, jnp.full_like(U.w, U.mass / len(U)))),
    }
    if name != "unroll":
        wrong["correlations"] = correlated(mean_field(right))
    if world != "location":
        wrong["labels"] = law(name, world, Data(U.x, 0.9 * U.y, U.w))
    seen = {what: z(found(name, world)[1], claimed).max() for what, claimed in wrong.items()}
    assert min(seen.values()) > TOLD_APART, seen


@both
def test_the_law_at_a_finite_step_size_is_close_to_the_posterior(world):
    ours, exact = law("sghmc", world), law("hmc", world)
    gap = np.abs(ours.covariance - exact.covariance).max() / np.abs(exact.covariance).max()
    assert 0.001 < gap < 0.03


@every
def test_a_key_repeats_itself_to_the_bit_and_another_differs(name):
    (mean, drawn), infer = found(name, "regression"), CLAIMS[name].infer
    again = run(jr.key(0), infer, MODELS["regression"], U, FAR)
    np.testing.assert_array_equal(mean, again[0])
    np.testing.assert_array_equal(drawn, again[1])
    _, other = run(jr.key(1), infer, MODELS["regression"], U, FAR)
    assert not (drawn == other).any(axis=(1, 2)).any()


@every
def test_chance_is_where_the_row_says(name):
    """From one start every key finds a posterior of its own, or all find the same to the bit."""
    here = jnp.ones((CHAINS, 3))
    means, _ = run(jr.key(0), CLAIMS[name].infer, MODELS["regression"], U, here)
    assert len(np.unique(means, axis=0)) == (CHAINS if CLAIMS[name].random else 1)


@every
def test_equal_values_are_not_compiled_anew(name):
    found(name, "regression")
    traced = len(TRACED)
    parts = (pseudocore.infer, pseudocore.gaussian, pseudocore.kernels, pseudocore.posterior)
    names = {key: value for part in parts for key, value in vars(part).items()}
    again = eval(repr(CLAIMS[name].infer), names)
    assert again == CLAIMS[name].infer
    run(jr.key(1), again, WORLDS["regression"](), U.with_mass(3.0), FAR)
    assert len(TRACED) == traced


@both
@pytest.mark.parametrize("name", [name for name in CLAIMS if CLAIMS[name].differentiable])
def test_the_gradient_of_a_draw_in_the_data_is_that_of_the_law(name, world):
    """In points, labels and weights. Of a chain no row claims it: a choice has no derivative."""
    infer, model = CLAIMS[name].infer, MODELS[world]

    @jax.jit
    def gradients(u):
        def along(q):
            return q.sample(jr.key(1)) @ jnp.array([1.0, -0.5, 2.0])

        ours = jax.grad(lambda u: along(infer(jr.key(0), model, u, jnp.ones(3))))(u)
        return ours, jax.grad(lambda u: along(law(name, world, u)))(u)

    ours, claimed = gradients(U)
    for part, one, other in zip("xyw", *map(jax.tree.leaves, (ours, claimed)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-5)
        assert bool(one.any()) is not (part == "y" and world == "location")


def test_every_inference_that_is_exported_has_a_row():
    exported = [*vars(pseudocore.infer).values(), *vars(pseudocore.gaussian).values()]
    inferences = {a for a in exported if inspect.isclass(a) and issubclass(a, Infer)}
    concrete = {a for a in inferences if not inspect.isabstract(a)}
    assert concrete == {type(claim.infer) for claim in CLAIMS.values()}


def test_exact_is_the_posterior_of_what_its_source_draws():
    model, source = MODELS["regression"], Minibatches(U, 3)
    drawn = Exact()(jr.key(5), model, source, jnp.ones(3))
    expected = model.posterior(source.draw(jr.key(5)))
    np.testing.assert_array_equal(drawn.mean(), expected.mean())
    assert not jnp.allclose(drawn.mean(), model.posterior(U).mean())


def test_exact_refuses_a_model_without_a_closed_posterior():
    model = Model.of(Linear(), U)
    with pytest.raises(TypeError, match="Model has no closed posterior: use Unroll or MCMC"):
        Exact()(jr.key(0), model, U, jnp.zeros(model.layout.size))
