"""Normalisation of feature maps, as frozen values."""

import abc
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from pseudocore.errors import UserError
from pseudocore.types import Images


class Norm(eqx.Module):
    """How a block normalises its feature maps."""

    @abc.abstractmethod
    def init(self, channels: int) -> Any:
        """Scale 1 and shift 0, or nothing."""

    @abc.abstractmethod
    def __call__(self, params: Any, maps: Images) -> Images:
        """The maps, normalised."""


class GroupNorm(Norm):
    """(x - mean) / std over each group of channels of an image; then scale and shift by channel."""

    groups: int = eqx.field(static=True, default=1)

    def init(self, channels: int) -> Any:
        if channels % self.groups:
            raise UserError(f"GroupNorm(groups={self.groups}) does not divide {channels} channels.")
        return {"scale": jnp.ones(channels), "shift": jnp.zeros(channels)}

    def __call__(self, params: Any, maps: Images) -> Images:
        return normalise(maps, self.groups) * params["scale"] + params["shift"]


class InstanceNorm(Norm):
    """GroupNorm with every channel its own group: the paper's norm."""

    def init(self, channels: int) -> Any:
        return GroupNorm(channels).init(channels)

    def __call__(self, params: Any, maps: Images) -> Images:
        return GroupNorm(maps.shape[-1])(params, maps)


class NoNorm(Norm):
    """The maps as they are."""

    def init(self, channels: int) -> Any:
        return {}

    def __call__(self, params: Any, maps: Images) -> Images:
        return maps


def normalise(maps: Images, groups: int) -> Images:
    n, height, width, channels = maps.shape
    grouped = maps.reshape(n, height, width, groups, channels // groups)
    centred = grouped - grouped.mean(axis=(1, 2, 4), keepdims=True)
    variance = (centred**2).mean(axis=(1, 2, 4), keepdims=True)
    # 1e-5 is PyTorch's default, and so the paper's.
    return (centred * jax.lax.rsqrt(variance + 1e-5)).reshape(maps.shape)
