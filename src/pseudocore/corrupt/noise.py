"""Noise, independent from value to value: every colour of a pixel has its own."""

import numpy as np

from pseudocore.corrupt.base import Corruption, Pictures


def gaussian_noise(random: np.random.Generator, x: Pictures, sd: float) -> Pictures:
    """x + sd z, z ~ N(0, 1)."""
    return x + np.float32(sd) * random.standard_normal(x.shape, np.float32)


def shot_noise(random: np.random.Generator, x: Pictures, photons: float) -> Pictures:
    """Poisson(photons x) / photons: mean x, variance x / photons."""
    return random.poisson(x * photons).astype(np.float32) / np.float32(photons)


def impulse_noise(random: np.random.Generator, x: Pictures, amount: float) -> Pictures:
    """0 with probability amount / 2, 1 with probability amount / 2, else x."""
    drawn = random.random(x.shape, np.float32)
    return np.where(drawn < amount, (drawn < amount / 2).astype(x.dtype), x)


def speckle_noise(random: np.random.Generator, x: Pictures, sd: float) -> Pictures:
    """x (1 + sd z), z ~ N(0, 1)."""
    return x * (1 + np.float32(sd) * random.standard_normal(x.shape, np.float32))


# CIFAR-10-C (Hendrycks and Dietterich, ICLR 2019), make_cifar_c.py.
NOISE = {
    "gaussian_noise": Corruption(gaussian_noise, ((0.04,), (0.06,), (0.08,), (0.09,), (0.10,))),
    "shot_noise": Corruption(shot_noise, ((500.0,), (250.0,), (100.0,), (75.0,), (50.0,))),
    "impulse_noise": Corruption(impulse_noise, ((0.01,), (0.02,), (0.03,), (0.05,), (0.07,))),
    "speckle_noise": Corruption(speckle_noise, ((0.06,), (0.1,), (0.12,), (0.16,), (0.2,))),
}
