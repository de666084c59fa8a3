"""Small problems for the outer loop: far blobs on a plane, and images for measuring memory."""

import functools
from collections.abc import Callable
from typing import TypeVar

import jax
import jax.numpy as jnp
import jax.random as jr

from pseudocore.data import Data, Minibatches, labelled
from pseudocore.divergences import Divergence
from pseudocore.expert import Expert
from pseudocore.infer import Unroll
from pseudocore.learn import Learner, Problem
from pseudocore.model import Model
from pseudocore.networks import MLP, ConvNet
from pseudocore.optimise import OuterSGD
from pseudocore.train import Training, train_experts

T = TypeVar("T")


def once(make: Callable[[], T]) -> Callable[[], T]:
    """Made when first asked for, in single precision even if a test in double asks first."""

    @functools.cache
    def made() -> T:
        with jax.enable_x64(False):
            return make()

    return made


@once
def blobs() -> Data:
    """Sixty points around three corners of a triangle, in turn."""
    labels = jnp.arange(60) % 3
    angles = 2 * jnp.pi * labels / 3
    centres = 2 * jnp.stack([jnp.cos(angles), jnp.sin(angles)], axis=1)
    return labelled(centres + 0.3 * jr.normal(jr.key(0), (60, 2)), labels, 3)


@once
def separable() -> Problem:
    """The blobs, a small MLP and three experts."""
    model = Model.of(MLP(width=8), blobs())
    trained = train_experts(jr.key(1), model, blobs(), Training(rate=0.2, batch=16), 3, 4)
    return Problem(model, Expert(trained, starts=2, ahead=2), Minibatches(blobs(), 20))


def noise(scale: float = 0.5) -> Data:
    """Two points a class that know nothing of the blobs."""
    return labelled(scale * jr.normal(jr.key(2), (6, 2)), jnp.arange(6) // 2, 3)


@once
def pictures() -> tuple[Problem, Data]:
    """A ConvNet whose activations weigh more than its parameters, and two images a class."""
    keys = jr.split(jr.key(3), 2)
    u = labelled(jr.normal(keys[0], (20, 16, 16, 3)), jnp.arange(20) % 10, 10)
    x = labelled(jr.normal(keys[1], (64, 16, 16, 3)), jnp.arange(64) % 10, 10)
    model = Model.of(ConvNet(depth=1, width=16), u)
    expert = Expert(jnp.zeros((1, 4, model.layout.size)), starts=2, ahead=2)
    return Problem(model, expert, Minibatches(x, 32)), u


@functools.cache
def step_bytes(divergence: Divergence, infer: Unroll = Unroll(steps=3)) -> int:  # noqa: B008
    """What one whole outer step on the pictures needs beside its inputs, as XLA plans it."""
    problem, u = pictures()
    learner = Learner(divergence, OuterSGD().build())
    lowered = jax.jit(learner.step).lower(jr.key(0), problem, learner.init(u, infer))
    # Fast to compile; buffers are assigned before machine code is made.
    memory = lowered.compile({"xla_backend_optimization_level": 0}).memory_analysis()
    assert memory is not None
    assert memory.temp_size_in_bytes > u.x.nbytes
    return memory.temp_size_in_bytes + memory.output_size_in_bytes
