"""Chains on posteriors: shapes, units, and the posterior itself, known by quadrature."""

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest

from pseudocore.augment import Unchanged
from pseudocore.data import Augmented, Minibatches, labelled
from pseudocore.infer import MCMC, PriorUnits, RawUnits
from pseudocore.kernels import HMC, SGHMC, PublishedHMC
from pseudocore.model import LogDensity, Model
from pseudocore.networks import Function
from pseudocore.prior import GaussianPrior


class Uneven(GaussianPrior):
    """Slopes are large and offsets are small."""

    def deviation(self, shape):
        return 3.0 if len(shape) == 2 else 0.3


def fresh(key):
    return {"offset": jnp.zeros(1), "slope": jnp.zeros((1, 1))}


def forward(params, x):
    """Binary regression: the logit of the first class is a line, that of the second zero."""
    line = x @ params["slope"] + params["offset"]
    return jnp.concatenate([line, jnp.zeros_like(line)], axis=1)


X = np.random.default_rng(0).standard_normal((12, 1)).astype(np.float32)
LABELS = (X[:, 0] + 0.4 * np.sin(9 * X[:, 0]) < 0.3).astype(np.int32)
DATA = labelled(jnp.asarray(X), jnp.asarray(LABELS), 2, mass=12.0)
MODEL = Model.of(Function(fresh, forward), DATA, Uneven())


@pytest.fixture(scope="module")
def quadrature():
    """E[t(θ)] under the posterior, by summing over a fine grid."""
    offset, slope = np.meshgrid(np.linspace(-1.8, 1.8, 300), np.linspace(-9, 16, 400))
    grid = jnp.asarray(np.stack([offset.ravel(), slope.ravel()], axis=1), jnp.float32)
    target = LogDensity(MODEL, DATA, jnp.ones(2))
    log = np.asarray(jax.jit(jax.vmap(target))(grid), np.float64)
    weight = np.exp(log - log.max())
    return lambda t: (weight / weight.sum()) @ t(np.asarray(grid, np.float64))


def moments(theta: np.ndarray) -> np.ndarray:
    offset, slope = theta[..., 0], theta[..., 1]
    return np.stack([offset, slope, offset**2, slope**2, offset * slope], axis=-1)


KEYS = jr.split(jr.key(0), 100)
LONG = MCMC(HMC(0.4, 6), iterations=350, burn=50)
NOISY = MCMC(SGHMC(0.1, 20, friction=0.02), 350, 50)
BATCHES = Minibatches(DATA, 4)


@eqx.filter_jit
def chains(keys, chain: MCMC, model: Model, source):
    def one(key):
        key_start, key_run = jr.split(key)
        return chain.run(key_run, model, source, chain.start(key_start, model))

    return jax.vmap(one)(keys)


@pytest.mark.parametrize(
    "chain",
    [
        LONG,
        MCMC(HMC(0.12, 20), 350, 50, RawUnits()),
        NOISY,
    ],
    ids=["hmc in units of the prior", "hmc in raw units", "sghmc"],
)
def test_whatever_the_units_the_posterior_is_the_same(chain, quadrature):
    draws, info = jax.device_get(chains(KEYS, chain, MODEL, DATA))
    found = moments(draws.draws.astype(np.float64)).mean(axis=1)
    error = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    truth = quadrature(moments)
    z = (found.mean(axis=0) - truth) / error
    # SGHMC's step is finite: α/2 = 1 % hotter.
    allowed = 0.02 * truth / error * isinstance(chain.kernel, SGHMC)
    assert (np.abs(z) < 4.5 + np.abs(allowed)).all(), z
    assert (error[2:4] < 0.03 * truth[2:4]).all()
    assert info.healthy.all()


def test_a_wrong_unit_would_have_been_seen(quadrature):
    """Draws that are z and not unit · z."""
    draws, _ = jax.device_get(chains(KEYS, LONG, MODEL, DATA))
    z = draws.draws / np.asarray(MODEL.prior.scale(MODEL.layout))
    assert np.abs(moments(z).mean(axis=(0, 1)) / quadrature(moments) - 1)[2:4].min() > 0.5


def test_one_draw_an_iteration_after_burn_in_and_an_info_for_every_iteration():
    posterior, info = jax.device_get(chains(KEYS, LONG, MODEL, DATA))
    assert posterior.draws.shape == (100, 300, 2)
    assert info.accepted.shape == info.energy.shape == info.healthy.shape == (100, 350)
    assert ((info.accepted >= 0) & (info.accepted <= 1)).all()
    target = jax.jit(jax.vmap(LogDensity(MODEL, DATA, jnp.ones(2))))
    energy = -target(posterior.draws[:, -1])
    np.testing.assert_allclose(energy, info.energy[:, -1], rtol=1e-5)


def test_no_burn_in_keeps_every_iteration():
    chain = MCMC(HMC(0.4, 6), iterations=4, burn=0)
    posterior = jax.eval_shape(lambda: chain(jr.key(0), MODEL, DATA, jnp.zeros(2)))
    assert posterior.draws.shape == (4, 2)


@pytest.mark.parametrize(
    ("units", "scale"), [(PriorUnits(), (0.09, 0.9)), (RawUnits(), (0.1, 0.1))], ids=repr
)
def test_chains_start_at_the_scale_of_their_units(units, scale):
    chain = MCMC(HMC(), units=units)
    starts = jax.vmap(lambda key: chain.start(key, MODEL))(jr.split(jr.key(0), 2000))
    np.testing.assert_allclose(starts.std(axis=0), scale, rtol=4.5 / np.sqrt(4000))
    np.testing.assert_allclose(starts.mean(axis=0) / np.array(scale), 0, atol=4.5 / np.sqrt(2000))


@pytest.mark.parametrize("kernel", [HMC(), PublishedHMC()], ids=repr)
@pytest.mark.parametrize(
    "source", [Augmented(DATA, Unchanged()), BATCHES], ids=["augmented", "minibatches"]
)
def test_hmc_never_sees_a_moving_target(kernel, source):
    with pytest.raises(TypeError, match="use SGHMC"):
        MCMC(kernel, 4, 2)(jr.key(0), MODEL, source, jnp.zeros(2))


def test_sghmc_takes_a_moving_target():
    still, moving = (chains(KEYS, NOISY, MODEL, source)[0].draws for source in (DATA, BATCHES))
    assert moving.shape == still.shape
    assert jnp.isfinite(moving).all()
    assert not jnp.allclose(still, moving)
