"""One operation for the whole batch, each as likely as the others."""

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from scipy.stats import chisquare

from pseudocore.augment import DSA, Augment, Color, Crop, Cutout, Flip, Rotate, Scale
from pseudocore.errors import UserError


class Plus(Augment):
    """An operation that leaves its mark."""

    mark: int = eqx.field(static=True)

    def __call__(self, key, x):
        return x + self.mark


class Coin(Augment):
    """An operation that draws with its key what a choice between two would have drawn."""

    def __call__(self, key, x):
        return x + jr.randint(key, (), 0, 2)


def test_the_published_operations_are_the_default():
    assert DSA() == DSA((Color(), Crop(), Cutout(), Flip(), Scale(), Rotate()))


def test_one_operation_for_the_whole_batch_each_with_probability_one_sixth():
    marks = DSA(tuple(Plus(mark) for mark in range(6)))
    keys = jr.split(jr.key(0), 3000)
    draw = jax.jit(jax.vmap(lambda key: marks(key, jnp.zeros((5, 1, 1, 1)))))
    out = draw(keys).reshape(3000, 5)
    assert (out == out[:, :1]).all()
    assert chisquare(np.bincount(np.asarray(out[:, 0], int), minlength=6)).pvalue > 1e-3


def test_the_choice_says_nothing_about_the_parameters():
    keys = jr.split(jr.key(0), 2000)
    draw = jax.jit(jax.vmap(lambda key, dsa: dsa(key, jnp.zeros((1, 1, 1, 1))), (0, None)))
    chosen = draw(keys, DSA((Plus(0), Plus(1)))).ravel()
    values = draw(keys, DSA((Coin(), Coin()))).ravel()
    assert abs(np.corrcoef(chosen, values)[0, 1]) < 0.1


def test_every_real_operation_is_drawn():
    """A dot of colour on a dark field tells them apart, but for the two that interpolate."""
    image = jnp.zeros((1, 9, 9, 3)).at[:, 4, 6].set(jnp.array([1.0, 2.0, 3.0]))
    x = jnp.repeat(image, 20, axis=0)
    dsa = jax.jit(DSA())
    outs = [dsa(key, x) for key in jr.split(jr.key(0), 60)]
    assert {kind(np.asarray(out), np.asarray(image)) for out in outs} == {
        "color",
        "crop",
        "cutout",
        "flip",
        "interpolated",
    }


def kind(out: np.ndarray, image: np.ndarray) -> str:
    mass, dot = out.sum((1, 2)), image.sum((1, 2))
    places = {tuple(place) for place in np.argwhere(out[..., 0] == 1)[:, 1:]}
    if (out[:, 0, 0] != 0).any():
        return "color"
    if not np.isclose(mass, dot).all() and np.isin(out, image).all():
        return "cutout"
    if np.isin(out, image).all():
        return "flip" if places == {(4, 6), (4, 2)} else "crop"
    return "interpolated"


def test_a_list_of_operations_is_as_good_as_a_tuple():
    assert DSA([Flip()]) == DSA((Flip(),))  # pyright: ignore[reportArgumentType]


def test_no_operation_is_refused():
    with pytest.raises(UserError, match=r"Unchanged\(\)"):
        DSA(())
