"""Noise against closed forms, and scikit-image where it is installed."""

import numpy as np
import pytest

from pseudocore.corrupt import CORRUPTIONS, SEVERITIES
from pseudocore.corrupt.noise import gaussian_noise, impulse_noise, shot_noise, speckle_noise

N = (60, 32, 32, 3)  # 184,320 values: a standard deviation is known to .2 %
every_severity = pytest.mark.parametrize("severity", SEVERITIES)


def flat(level: float) -> np.ndarray:
    return np.full(N, level, np.float32)


def constant(name: str, severity: int) -> float:
    return CORRUPTIONS[name].constants[severity - 1][0]


@every_severity
def test_gaussian_noise_has_its_deviation(random, severity):
    noise = CORRUPTIONS["gaussian_noise"](random, flat(0.5), severity) - 0.5
    sd = constant("gaussian_noise", severity)
    assert noise.std() == pytest.approx(sd, rel=0.01)
    assert abs(noise.mean()) < 0.01 * sd
    assert (noise**4).mean() == pytest.approx(3 * sd**4, rel=0.05)


@every_severity
@pytest.mark.parametrize("level", [0.1, 0.8])
def test_shot_noise_counts_photons(random, severity, level):
    out = CORRUPTIONS["shot_noise"](random, flat(level), severity)
    photons = constant("shot_noise", severity)
    np.testing.assert_allclose(out * photons, np.rint(out * photons), atol=1e-3)
    assert out.mean() == pytest.approx(level, rel=0.01)
    assert out.var() == pytest.approx(level / photons, rel=0.02)


@every_severity
def test_impulse_noise_has_its_amount(random, severity):
    out = CORRUPTIONS["impulse_noise"](random, flat(0.5), severity)
    amount = constant("impulse_noise", severity)
    assert set(np.unique(out)) == {0, 0.5, 1}
    assert (out == 0).mean() == pytest.approx(amount / 2, rel=0.12)
    assert (out == 1).mean() == pytest.approx(amount / 2, rel=0.12)


def test_impulse_noise_is_skimages(random):
    util = pytest.importorskip("skimage.util")
    theirs = util.random_noise(flat(0.5), mode="s&p", amount=0.07, rng=0)
    ours = impulse_noise(random, flat(0.5), 0.07)
    for value in (0, 0.5, 1):
        assert (ours == value).mean() == pytest.approx((theirs == value).mean(), rel=0.05)


@every_severity
@pytest.mark.parametrize("level", [0.1, 0.8])
def test_speckle_noise_grows_with_the_light(random, severity, level):
    noise = CORRUPTIONS["speckle_noise"](random, flat(level), severity) - level
    assert noise.std() == pytest.approx(level * constant("speckle_noise", severity), rel=0.01)


@pytest.mark.parametrize("noise", [gaussian_noise, speckle_noise, impulse_noise, shot_noise])
def test_every_value_has_noise_of_its_own(random, noise):
    """Neighbours, colours and images go together no more than chance allows (five sd)."""
    strength = 50.0 if noise is shot_noise else 0.2
    z = noise(random, flat(0.5), strength).astype(float)
    z = (z - z.mean()) / z.std()
    for axis in range(4):
        first, second = np.moveaxis(z, axis, 0)[:-1], np.moveaxis(z, axis, 0)[1:]
        assert abs((first * second).mean()) < 5 / np.sqrt(first.size)
