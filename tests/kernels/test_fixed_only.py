"""Every kernel says truly whether its target must stand still, so that a judge can refuse early."""

import jax.random as jr
import pytest

import pseudocore.kernels
from pseudocore.data import Minibatches
from pseudocore.kernels import Kernel
from pseudocore.model import Target

KERNELS = [
    kind
    for kind in vars(pseudocore.kernels).values()
    if isinstance(kind, type) and issubclass(kind, Kernel) and kind is not Kernel
]


@pytest.mark.parametrize("kind", KERNELS, ids=lambda kind: kind.__name__)
def test_a_kernel_that_refuses_a_moving_target_says_so(kind, target):
    moving = Target(target.model, Minibatches(target.data, 4), target.unit)
    z = 0 * target.unit
    if kind.fixed_only:
        with pytest.raises(TypeError, match=r"kernel with an accept test .*needs a fixed one"):
            kind().init(jr.key(0), moving, z)
    else:
        kind().step(jr.key(0), moving, kind().init(jr.key(0), moving, z))
