"""What every augmentation promises. A new one adds a row and inherits the suite."""

import inspect

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest

import pseudocore.augment
from pseudocore.augment import DSA, Augment, Color, Crop, Cutout, Flip, Rotate, Scale, Unchanged
from pseudocore.errors import UserError

OPERATIONS = [Color(), Crop(), Cutout(), Flip(), Scale(), Rotate()]
FEW = DSA((Color(), Crop(fraction=0.25), Rotate(degrees=5)))

# Every augmentation at the strengths at which it changes nothing.
GENTLE = (Color(0, 0, 0), Crop(0), Cutout(0), Flip(0), Scale(1), Rotate(0))
NEUTRAL = [Unchanged(), *GENTLE, DSA(GENTLE)]

TWENTY = jr.split(jr.key(0), 20)
every = pytest.mark.parametrize("augment", [*OPERATIONS, DSA(), FEW], ids=repr)
every_operation = pytest.mark.parametrize("augment", OPERATIONS, ids=repr)


def test_every_augmentation_has_its_rows():
    exported = {
        thing
        for thing in vars(pseudocore.augment).values()
        if inspect.isclass(thing) and issubclass(thing, Augment) and not inspect.isabstract(thing)
    }
    assert exported == {type(augment) for augment in [*OPERATIONS, DSA(), Unchanged()]}
    assert exported == {type(augment) for augment in NEUTRAL}


def normal(*shape: int) -> jax.Array:
    return jnp.asarray(np.random.default_rng(0).standard_normal(shape))


@jax.jit
def changed(key, x, augment: Augment):
    return augment(key, x)


@every
@pytest.mark.parametrize("shape", [(3, 8, 8, 1), (2, 5, 7, 3), (0, 1, 1, 2)], ids=str)
def test_keeps_shape_and_type(augment: Augment, shape: tuple[int, ...]):
    x = jax.ShapeDtypeStruct(shape, jnp.bfloat16)
    out = jax.eval_shape(augment, jr.key(0), x)
    assert (out.shape, out.dtype) == (x.shape, x.dtype)


@every
def test_a_key_repeats_itself_and_another_differs(augment: Augment):
    x = normal(20, 8, 8, 3)
    first = changed(jr.key(0), x, augment)
    assert jnp.isfinite(first).all()
    assert jnp.array_equal(first, changed(jr.key(0), x, augment))
    assert not jnp.array_equal(first, changed(jr.key(1), x, augment))


@every_operation
def test_parameters_differ_from_image_to_image(augment: Augment):
    same = jnp.broadcast_to(normal(8, 8, 3), (20, 8, 8, 3))
    out = np.asarray(changed(jr.key(0), same, augment))
    kinds = len(np.unique(out.reshape(20, -1), axis=0))
    assert kinds == 2 if isinstance(augment, Flip) else kinds > 5


@every_operation
def test_gradient_is_that_of_finite_differences(augment: Augment):
    agrees_with_finite_differences(augment, jr.key(3))


class Mark(Augment):
    """An operation that tells its number."""

    number: int = eqx.field(static=True)

    def __call__(self, key, x):
        return x + self.number


def test_twenty_keys_draw_each_of_six_operations():
    marks = DSA(tuple(Mark(number) for number in range(6)))
    drawn = jax.jit(jax.vmap(marks, in_axes=(0, None)))(TWENTY, jnp.zeros((1, 1, 1, 1)))
    assert set(np.asarray(drawn, int).ravel()) == set(range(6))


def test_gradient_through_the_drawn_operation_is_that_of_finite_differences():
    agrees_with_finite_differences(DSA(), *TWENTY)


def agrees_with_finite_differences(augment: Augment, *keys) -> None:
    @jax.jit
    @jax.value_and_grad
    def smooth(x, key):
        return jnp.sum(jnp.sin(augment(key, x)))

    with jax.enable_x64(True):
        x, v = normal(2, 3, 6, 5, 2)
        for key in keys:
            higher, lower = (smooth(x + step * v, key)[0] for step in (1e-5, -1e-5))
            slope = jnp.vdot(smooth(x, key)[1], v)
            np.testing.assert_allclose(slope, (higher - lower) / 2e-5, rtol=1e-7, atol=1e-8)


@jax.jit
def pulled(key, x, cotangent, augment: Augment):
    """The changed batch, and what its gradient makes of a cotangent."""
    out, pull = jax.vjp(lambda x: augment(key, x), x)
    return out, *pull(cotangent)


@pytest.mark.parametrize("augment", NEUTRAL, ids=repr)
def test_no_strength_is_no_change(augment: Augment):
    """To the bit, but for what rounds: a colour goes to its mean and back. So for the gradient."""
    x, cotangent = normal(2, 20, 8, 7, 3)
    rounding = 1e-5 if isinstance(augment, Color | DSA) else 0
    for key in TWENTY:
        out, gradient = pulled(key, x, cotangent, augment)
        np.testing.assert_allclose(out, x, rtol=0, atol=rounding)
        np.testing.assert_allclose(gradient, cotangent, rtol=0, atol=rounding)


def test_vmap_and_scan_draw_what_single_calls_draw():
    x, keys = normal(20, 8, 8, 3), jr.split(jr.key(0), 12)
    single = np.stack([changed(key, x, FEW) for key in keys])
    mapped = jax.jit(jax.vmap(FEW, in_axes=(0, None)))(keys, x)
    scanned = jax.jit(lambda keys: jax.lax.map(lambda key: FEW(key, x), keys))(keys)
    np.testing.assert_allclose(mapped, single, atol=1e-5)
    np.testing.assert_allclose(scanned, single, atol=1e-5)


@every
def test_the_printed_value_is_the_value(augment: Augment):
    again = eval(repr(augment), vars(pseudocore.augment))
    assert again == augment
    assert hash(again) == hash(augment)
    assert again != Unchanged()


@every
@pytest.mark.parametrize(
    "jit",
    [jax.jit, eqx.filter_jit, lambda f: jax.jit(f, static_argnums=0)],
    ids=["traced", "filtered", "static"],
)
def test_an_equal_value_compiles_once(augment: Augment, jit):
    assert not jax.tree.leaves(augment)
    traced = []

    @jit
    def call(augment: Augment, x: jax.Array) -> jax.Array:
        traced.append(augment)
        return x

    call(augment, jnp.ones(()))
    call(eval(repr(augment), vars(pseudocore.augment)), jnp.ones(()))
    assert len(traced) == 1
    call(Unchanged(), jnp.ones(()))
    assert len(traced) == 2


@every
def test_points_that_are_not_images_are_refused(augment: Augment):
    with pytest.raises(UserError, match=r"of shape \(8, 64\).*Unchanged\(\)"):
        augment(jr.key(0), normal(8, 64))


def test_unchanged_takes_points_of_any_kind():
    x = normal(8, 64)
    assert Unchanged()(jr.key(0), x) is x


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        (Color, "brightness", -0.1),
        (Color, "brightness", float("inf")),
        (Color, "saturation", 1.1),
        (Color, "contrast", float("nan")),
        (Crop, "fraction", -0.1),
        (Cutout, "fraction", 1.1),
        (Flip, "probability", 2),
        (Scale, "ratio", 0.8),
        (Rotate, "degrees", 181),
    ],
)
def test_a_strength_out_of_range_is_refused_by_name(kind, field: str, value: float):
    with pytest.raises(UserError, match=rf"{kind.__name__}\({field}={float(value)}\)"):
        kind(**{field: value})
