"""Differentiable Siamese augmentation (Zhao and Bilen, ICML 2021)."""

from typing import final

import equinox as eqx
import jax
import jax.random as jr

from pseudocore.augment.base import Augment
from pseudocore.augment.checks import images_of
from pseudocore.augment.color import Color
from pseudocore.augment.cutout import Cutout
from pseudocore.augment.geometry import Crop, Flip, Rotate, Scale
from pseudocore.errors import UserError
from pseudocore.types import Points, PRNGKey


@final
class DSA(Augment):
    """One operation, drawn uniformly, for the whole batch; its parameters are drawn per image.

    Leave out what changes the meaning of an image: a digit has no mirror image, so
    `DSA((Color(), Crop(), Cutout(), Scale(), Rotate()))`.
    """

    operations: tuple[Augment, ...] = eqx.field(
        default=(Color(), Crop(), Cutout(), Flip(), Scale(), Rotate()), converter=tuple
    )

    def __check_init__(self):
        if not self.operations:
            raise UserError(
                "DSA(()) has no operation to draw. For no augmentation use Unchanged()."
            )

    def __call__(self, key: PRNGKey, x: Points) -> Points:
        images = images_of(self, x)
        key_operation, key_parameters = jr.split(key)
        drawn = jr.randint(key_operation, (), 0, len(self.operations))
        return jax.lax.switch(drawn, self.operations, key_parameters, images)
