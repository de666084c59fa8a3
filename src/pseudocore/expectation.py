"""Monte-Carlo means of scalars, streamed draw by draw."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from pseudocore.types import Scalar


@eqx.filter_custom_vjp
def streamed_mean(operand: Any, f: Any, draws: Any, constants: Any) -> Scalar:
    """mean_s f(operand, draws_s, constants). Its gradient in `operand` is mean_s ∂f/∂operand.

    Value and gradient are summed in one pass over the draws, forward and backward of one draw at a
    time: memory does not grow with the number of draws, and nothing is computed twice. Only
    `operand` carries a gradient; `f` must not close over anything that does.
    """
    return _scan_mean(lambda draw: f(operand, draw, constants), draws)


@streamed_mean.def_fwd
def _forward(perturbed, operand, f, draws, constants):
    moving, still = eqx.partition(operand, eqx.is_inexact_array)

    def value_and_gradient(draw):
        return jax.value_and_grad(lambda u: f(eqx.combine(u, still), draw, constants))(moving)

    return _scan_mean(value_and_gradient, draws)


@streamed_mean.def_bwd
def _backward(gradient, cotangent, perturbed, operand, f, draws, constants):
    return jax.tree.map(lambda g: cotangent * g, gradient)


def _scan_mean(f: Any, draws: Any) -> Any:
    """The mean of a pytree-valued f over the leading axis of `draws`, in flat memory."""
    shapes = jax.eval_shape(lambda draws: f(jax.tree.map(lambda leaf: leaf[0], draws)), draws)
    count = jax.tree.leaves(draws)[0].shape[0]

    def add(total, draw):
        return jax.tree.map(jnp.add, total, f(draw)), None

    zeros = jax.tree.map(lambda s: jnp.zeros(s.shape, s.dtype), shapes)
    total, _ = jax.lax.scan(add, zeros, draws)
    return jax.tree.map(lambda leaf: leaf / count, total)
