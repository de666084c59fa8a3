import jax
import jax.numpy as jnp
import numpy as np
import pytest
from blackjax import diagnostics

from pseudocore import metrics
from pseudocore.errors import UserError

# Compiled whole: operation by operation, these tests would take three times as long.
split_rhat, ess = jax.jit(metrics.split_rhat), jax.jit(metrics.ess)
unsplit_rhat = jax.jit(diagnostics.potential_scale_reduction)
oracle_ess = jax.jit(diagnostics.effective_sample_size)


def ar1(seed, phi, chains=4, draws=1000):
    """Stationary chains x_t = phi x_t-1 + noise, of unit variance."""
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal((draws, chains))
    x = noise[0]
    trace = [x]
    for e in noise[1:]:
        x = phi * x + np.sqrt(1 - phi**2) * e
        trace.append(x)
    return jnp.asarray(np.stack(trace, axis=1), jnp.float32)


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.9, 0.99, -0.5])
@pytest.mark.parametrize("draws", [1000, 999])
def test_rhat_agrees_with_blackjax_on_the_halves(phi, draws):
    trace = ar1(0, phi, draws=draws)
    halves = jnp.concatenate([trace[:, : draws // 2], trace[:, -(draws // 2) :]])
    np.testing.assert_allclose(split_rhat(trace), unsplit_rhat(halves), rtol=1e-5)


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.9, 0.99])
@pytest.mark.parametrize(("chains", "draws"), [(4, 1000), (3, 101), (1, 1000)])
def test_ess_agrees_with_blackjax(phi, chains, draws):
    trace = ar1(1, phi, chains, draws)
    np.testing.assert_allclose(ess(trace), oracle_ess(trace), rtol=0.005)


def test_ess_is_near_that_of_blackjax_where_draws_alternate():
    """blackjax adds a part of the pair that ends the sequence, which weighs more here."""
    trace = ar1(1, -0.5)
    np.testing.assert_allclose(ess(trace), oracle_ess(trace), rtol=0.05)


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.9])
def test_ess_is_that_of_an_autoregression(phi):
    trace = ar1(2, phi, chains=8, draws=4000)
    np.testing.assert_allclose(ess(trace), trace.size * (1 - phi) / (1 + phi), rtol=0.15)


def test_draws_that_alternate_are_worth_more_than_they_number_but_within_a_bound():
    total = 4000
    assert ess(ar1(3, -0.5)) > 2 * total
    np.testing.assert_allclose(ess(ar1(3, -0.99)), total * np.log10(total), rtol=1e-5)


def test_mixed_chains_converge_and_shifted_chains_do_not():
    trace = ar1(4, 0.0)
    apart = trace + jnp.arange(4.0)[:, None]
    assert 0.99 < split_rhat(trace) < 1.01
    assert split_rhat(apart) > 1.3
    assert ess(apart) < 0.01 * ess(trace)


def test_splitting_sees_a_drift_that_all_chains_share():
    drifting = ar1(5, 0.0) + jnp.linspace(0, 4, 1000)
    assert unsplit_rhat(drifting) < 1.01
    assert split_rhat(drifting) > 1.3
    assert split_rhat(drifting[:1]) > 1.3


def still(value):
    return jnp.full((4, 1000), value, jnp.float32)


stuck = {
    "all at one value": still(0.0),
    "all at one value that rounds": still(0.1),
    "each at its own": still(0.1) * jnp.arange(1.0, 5)[:, None],
    "one of four": ar1(6, 0.0).at[2].set(0.1),
    "a chain with a nan": ar1(6, 0.0).at[1, 7].set(jnp.nan),
    "a chain with an infinity": ar1(6, 0.0).at[1, 7].set(jnp.inf),
}


@pytest.mark.parametrize("trace", stuck.values(), ids=stuck.keys())
def test_a_chain_that_is_stuck_never_looks_converged(trace):
    assert split_rhat(trace) == jnp.inf
    assert ess(trace) == 0


def test_a_chain_that_stops_half_way_never_looks_converged():
    trace = ar1(6, 0.0)
    assert split_rhat(trace.at[2, 500:].set(0.1)) == jnp.inf
    assert split_rhat(trace.at[2, 501:].set(0.1)) < 1.2


@pytest.mark.parametrize("diagnose", [split_rhat, ess])
@pytest.mark.parametrize(("scale", "shift"), [(1e-3, 0.0), (-5.0, 2.0), (1.0, 1000.0)])
def test_units_and_the_order_of_chains_do_not_count(diagnose, scale, shift):
    trace = ar1(7, 0.5)
    np.testing.assert_allclose(diagnose(scale * trace[::-1] + shift), diagnose(trace), rtol=1e-3)


@pytest.mark.parametrize("diagnose", [split_rhat, ess])
def test_it_maps_over_parameters_inside_jit(diagnose):
    traces = jnp.stack([ar1(8, 0.5), ar1(9, 0.9), still(0.1)])
    got = jax.jit(jax.vmap(diagnose))(traces)
    np.testing.assert_allclose(got, [diagnose(trace) for trace in traces], rtol=1e-4)


@pytest.mark.parametrize("diagnose", [split_rhat, ess])
def test_three_draws_are_refused_and_four_are_not(diagnose):
    trace = ar1(10, 0.0, draws=4)
    assert jnp.isfinite(diagnose(trace))
    with pytest.raises(UserError, match=r"3 draws a chain .* at least 4"):
        diagnose(trace[:, :3])
