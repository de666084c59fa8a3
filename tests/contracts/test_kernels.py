"""What every Markov kernel promises. A new one adds a row and inherits the suite.

The target is a correlated Gaussian, so every moment is known. SGHMC makes a linear step there,
whose stationary law at a finite step size is Gaussian too and solves a Lyapunov equation: the chain
is held to that law, and the law to the target.
"""

import copy
from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from jaxtyping import Array
from scipy.linalg import solve_discrete_lyapunov

from pseudocore.data import Data
from pseudocore.kernels import HMC, SGHMC, Kernel, PublishedHMC
from pseudocore.metrics import ess
from pseudocore.model import LogDensity, Model
from pseudocore.networks import Function
from pseudocore.prior import Prior

CENTRE = np.array([1.0, -2.0, 0.5])
COVARIANCE = np.array([[1.0, 0.6, -0.3], [0.6, 2.0, 0.2], [-0.3, 0.2, 0.5]])
PRECISION = np.linalg.inv(COVARIANCE)
CHAINS, BURN, KEPT = 120, 40, 500
# Twelve statistics: |z| above this has a chance of 1e-5 in all.
SURE = 5.0


class Correlated(Prior):
    """N(centre, precision⁻¹) of all parameters together."""

    centre: Array
    precision: Array

    def logpdf(self, theta, layout):
        return -0.5 * (theta - self.centre) @ self.precision @ (theta - self.centre)

    def scale(self, layout):
        return jnp.ones(layout.size)


def three_numbers(key):
    return jnp.zeros(3)


def gaussian(scale: float = 1.0) -> LogDensity:
    """The target: a prior alone, for the data weigh nothing."""
    nothing = Data(jnp.zeros((1, 1)), jnp.ones((1, 1)), jnp.zeros(1))
    network = Function(three_numbers, lambda params, x: x * params[:1])
    centre, precision = jnp.asarray(CENTRE), jnp.asarray(PRECISION * scale)
    model = Model.of(network, nothing, Correlated(centre, precision))
    return LogDensity(model, nothing, jnp.ones(3))


TARGET = gaussian()


def exact(kernel: Kernel) -> np.ndarray:
    return COVARIANCE


def discretised(kernel: SGHMC) -> np.ndarray:
    """Covariance of z where z' = z + ε r and r' = (1-α) r - ε P z' + noise."""
    step, one = kernel.step_size, np.eye(3)
    drift = np.block([[one, step * one], [np.zeros((3, 3)), one]])
    kick = np.block([[one, np.zeros((3, 3))], [-step * PRECISION, (1 - kernel.friction) * one]])
    noise = np.zeros((6, 6))
    noise[3:, 3:] = 2 * kernel.friction * kernel.temperature * one
    return solve_discrete_lyapunov(kick @ drift, noise)[:3, :3]


ROWS: list[tuple[Kernel, Callable[..., np.ndarray]]] = [
    (HMC(0.3, 8), exact),
    (SGHMC(0.05, 40, friction=0.02), discretised),
]
KERNELS = [kernel for kernel, _ in ROWS]
every = pytest.mark.parametrize(("kernel", "law"), ROWS, ids=[repr(kernel) for kernel in KERNELS])
every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=repr)


@eqx.filter_jit
def run(key, kernel: Kernel, target: LogDensity):
    """Draws (chains x kept x 3) and infos of chains that start too wide."""

    def chain(key):
        key_start, key_init, key_steps = jr.split(key, 3)
        start = jnp.asarray(CENTRE) + 2 * jr.normal(key_start, (3,))

        def step(state, key):
            state, info = kernel.step(key, target, state)
            return state, (state.z, info)

        keys = jr.split(key_steps, BURN + KEPT)
        _, (draws, info) = jax.lax.scan(step, kernel.init(key_init, target, start), keys)
        return draws[BURN:], info

    return jax.vmap(chain)(jr.split(key, CHAINS))


@pytest.fixture(scope="module")
def chains():
    """Draws of every kernel, run once for all tests."""
    known = {}

    def of(kernel: Kernel):
        if kernel not in known:
            known[kernel] = jax.device_get(run(jr.key(0), kernel, TARGET))
        return known[kernel]

    return of


PAIRS = [(i, j) for i in range(3) for j in range(i, 3)]


def statistics(draws: np.ndarray, covariance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means, covariances and fourth moments about the true centre, draw by draw, and the truth."""
    c = draws.astype(np.float64) - CENTRE
    values = [*(c[..., i] for i in range(3)), *(c[..., i] * c[..., j] for i, j in PAIRS)]
    values += [c[..., i] ** 4 for i in range(3)]
    truth = [*np.zeros(3), *(covariance[i, j] for i, j in PAIRS), *(3 * np.diag(covariance) ** 2)]
    return np.stack(values, axis=-1), np.array(truth)


worths = jax.jit(jax.vmap(ess, in_axes=2))


def errors(values: np.ndarray) -> np.ndarray:
    """Standard errors of the means over chains and draws: deviation / √ESS."""
    worth = np.asarray(worths(jnp.asarray(values, jnp.float32)))
    return values.std(axis=(0, 1)) / np.sqrt(worth)


def scores(draws: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    values, truth = statistics(draws, covariance)
    return (values.mean(axis=(0, 1)) - truth) / errors(values)


@every
def test_mean_covariance_and_fourth_moment_are_those_of_the_target(kernel, law, chains):
    draws, _ = chains(kernel)
    values, truth = statistics(draws, law(kernel))
    error = errors(values)
    z = (values.mean(axis=(0, 1)) - truth) / error
    assert np.abs(z).max() < SURE
    # So small are the error bars: a covariance off by a tenth would be seen.
    variances = [3, 6, 8]
    assert (error[variances] < 0.02 * truth[variances]).all()
    # A law at a finite step size is close to the target itself.
    np.testing.assert_allclose(law(kernel), COVARIANCE, atol=0.03)


@every
def test_the_second_half_of_a_long_chain_is_as_the_first(kernel, law, chains):
    draws, _ = chains(kernel)
    values, _ = statistics(draws, law(kernel))
    first, second = values[:, : KEPT // 2], values[:, KEPT // 2 :]
    gap = first.mean(axis=(0, 1)) - second.mean(axis=(0, 1))
    z = gap / np.hypot(errors(first), errors(second))
    assert np.abs(z).max() < SURE


@pytest.mark.parametrize(
    ("faulty", "size"),
    [
        (PublishedHMC(0.3, 8, momentum=1.0), 50),  # only the sign of the kinetic term is wrong
        (PublishedHMC(0.3, 8, momentum=0.5), 50),
        (SGHMC(0.05, 40, friction=0.02, temperature=0.9), 8),
    ],
    ids=repr,
)
def test_a_faulty_sampler_is_caught(faulty, size):
    """The published accept test and momentum scale, and a temperature that is not 1."""
    draws, _ = jax.device_get(run(jr.key(0), faulty, TARGET))
    z = scores(draws, COVARIANCE)
    assert np.abs(z[3:9]).max() > size


def test_a_faulty_target_is_caught():
    """Twice the density's exponent is half the covariance."""
    draws, _ = jax.device_get(run(jr.key(0), ROWS[0][0], gaussian(2.0)))
    assert np.abs(scores(draws, COVARIANCE)[3:9]).max() > 20


@every_kernel
def test_energy_is_minus_the_log_density_where_the_chain_is(kernel, chains):
    draws, info = chains(kernel)
    last = jnp.asarray(draws[:, -1])
    np.testing.assert_allclose(info.energy[:, -1], -jax.vmap(TARGET)(last), rtol=1e-4, atol=1e-5)
    assert info.healthy.all()
    proposes = isinstance(kernel, HMC)
    assert np.isnan(info.accepted).all() != proposes
    if proposes:
        assert ((info.accepted >= 0) & (info.accepted <= 1)).all()


@every_kernel
def test_a_key_repeats_itself_to_the_bit_and_another_differs(kernel, chains):
    draws, info = chains(kernel)
    again, info_again = jax.device_get(run(jr.key(0), kernel, TARGET))
    np.testing.assert_array_equal(draws, again)
    np.testing.assert_array_equal(info.energy, info_again.energy)
    other, _ = jax.device_get(run(jr.key(1), kernel, TARGET))
    assert not (draws == other).any(axis=(1, 2)).any()


@every_kernel
def test_equal_values_are_not_compiled_anew(kernel):
    traces = []

    @eqx.filter_jit
    def step(key, kernel, target, state):
        traces.append(kernel)
        return kernel.step(key, target, state)

    state = kernel.init(jr.key(0), TARGET, jnp.ones(3))
    for target in (TARGET, eqx.tree_at(lambda t: t.model.prior.centre, TARGET, jnp.ones(3))):
        state, _ = step(jr.key(1), copy.deepcopy(kernel), target, state)
    assert len(traces) == 1
    step(jr.key(1), type(kernel)(0.01), TARGET, state)
    assert len(traces) == 2


@every_kernel
def test_a_start_where_the_density_is_not_finite_is_not_healthy(kernel):
    state = kernel.init(jr.key(0), TARGET, jnp.array([0.0, jnp.nan, 0.0]))
    _, info = kernel.step(jr.key(1), TARGET, state)
    assert not info.healthy
