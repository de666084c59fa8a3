"""The outer loop: what is learned and what is not, reproducibility, and runs gone wrong."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import optax
import pytest
from tests.worlds.outer import blobs, noise, separable

from pseudocore.data import Data
from pseudocore.divergences import Divergence, ForwardKL, ReverseKL, Wasserstein
from pseudocore.errors import UserError
from pseudocore.infer import Unroll
from pseudocore.learn import Learned, Learner, State, Stretch, advance, learn, roles
from pseudocore.optimise import OuterSGD

INFER = Unroll(steps=8, rate=0.3)
ROOM = 40


def soft(u: Data) -> Data:
    """The same points with labels and weights in between."""
    y = jax.nn.softmax(3 * u.y + jr.normal(jr.key(4), u.y.shape))
    return Data(u.x, y, u.w * jnp.linspace(0.5, 1.5, len(u)))


@functools.cache
def learner(divergence: Divergence, optimiser: OuterSGD) -> Learner:
    return Learner(divergence, optimiser.build())


IMAGES = OuterSGD(images=3.0)
EVERYTHING = OuterSGD(images=1.0, labels=0.3, weights=0.05, rate=0.05)
FKL = learner(ForwardKL(draws=5), IMAGES)
W = learner(Wasserstein(), EVERYTHING)


def stretch(of: Learner, state: State, until: int, room: int = ROOM, seed: int = 7) -> Stretch:
    return advance(of, jr.key(seed), separable(), state, jnp.asarray(until), room)


@pytest.fixture(scope="module")
def forty() -> Stretch:
    """A run of forward KL on soft labels."""
    return stretch(FKL, FKL.init(soft(noise()), INFER), 40)


def identical(one, other) -> bool:
    leaves = zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True)
    return all(bool(jnp.array_equal(a, b)) for a, b in leaves)


class TestWhatIsLearned:
    def test_every_leaf_has_a_role(self):
        named = roles(FKL.init(noise(), INFER).learned)
        assert (named.u.x, named.u.y, named.u.w) == ("images", "labels", "weights")
        assert named.infer.rate == "rate"
        assert len(jax.tree.leaves(named)) == 4

    def test_what_has_no_rate_stays_to_the_bit(self, forty):
        before, after = FKL.init(soft(noise()), INFER).learned, forty.state.learned
        assert forty.finite
        assert identical(before.u.y, after.u.y)
        assert identical(before.u.w, after.u.w)
        assert identical(before.infer, after.infer)
        assert not jnp.isclose(before.u.x, after.u.x).any()

    def test_what_has_a_rate_moves_and_stays_feasible(self):
        state = W.init(soft(noise()), INFER)
        before = state.learned
        for until in (1, 5, 40):
            state = stretch(W, state, until).state
            u, rate = state.learned.u, state.learned.infer.rate
            assert float(u.y.min()) >= 0
            np.testing.assert_allclose(u.y.sum(axis=1), 1, rtol=1e-6)
            assert float(u.w.min()) >= 0
            assert float(rate) >= 0
        pairs = zip(jax.tree.leaves(before), jax.tree.leaves(state.learned), strict=True)
        assert not any(bool(jnp.array_equal(a, b)) for a, b in pairs)

    def test_the_infeasible_becomes_the_nearest_feasible(self):
        y = jnp.array([[1.5, 0.7, -3.0], [0.2, 0.5, 0.3], [-1.0, -1.0, -1.0]])
        u = Data(jnp.zeros((3, 2)), y, jnp.array([-0.5, 0.0, 2.0]))
        learned = FKL.init(u, Unroll(rate=-0.1)).learned.feasible()
        expected = [[0.9, 0.1, 0.0], [0.2, 0.5, 0.3], [1 / 3, 1 / 3, 1 / 3]]
        np.testing.assert_allclose(learned.u.y, expected, rtol=1e-6)
        np.testing.assert_array_equal(learned.u.w, [0.0, 0.0, 2.0])
        assert learned.infer.rate == 0

    @pytest.mark.parametrize(
        "optimiser",
        [
            optax.adam(0.1),
            optax.chain(
                optax.clip_by_global_norm(1.0),
                optax.partition(
                    {
                        "images": optax.rmsprop(0.1),
                        "labels": optax.set_to_zero(),
                        "weights": optax.set_to_zero(),
                        "rate": optax.sgd(0.01),
                    },
                    roles,
                ),
            ),
        ],
        ids=["adam", "clipped rmsprop on images"],
    )
    def test_any_optax_transformation_serves(self, optimiser):
        other = Learner(Wasserstein(), optimiser)
        before = other.init(noise(), INFER)
        end = stretch(other, before, 5, room=5)
        assert end.finite
        assert int(end.state.step) == 5
        assert not jnp.isclose(before.learned.u.x, end.state.learned.u.x).any()

    def test_equal_optimisers_are_one(self):
        """Built anew they would be other functions, and everything would compile again."""
        assert OuterSGD(images=3.0).build() is OuterSGD(images=3.0).build()
        assert OuterSGD(images=3.0).build() is not OuterSGD(images=4.0).build()


class TestReproducibility:
    def test_a_seed_repeats_to_the_bit_and_another_differs(self, forty):
        state = FKL.init(soft(noise()), INFER)
        assert identical(forty, stretch(FKL, state, 40))
        assert not identical(forty.losses, stretch(FKL, state, 40, seed=8).losses)

    def test_where_a_run_is_interrupted_does_not_change_a_bit(self):
        """7 + 1 + 12 steps, looked at in between, and 20 in one go with room for no more."""
        state, losses = FKL.init(noise(), INFER), []
        for until, taken in ((7, 7), (8, 1), (20, 12)):
            end = stretch(FKL, state, until)
            state = end.state
            assert int(state.step) == until
            losses.append(end.losses[:taken])
            assert not end.losses[taken:].any()
        at_once = learn(jr.key(7), FKL, separable(), noise(), INFER, steps=20)
        assert identical(state.learned, at_once)
        whole = stretch(FKL, FKL.init(noise(), INFER), 20)
        assert identical(whole.state, state)
        assert identical(whole.losses[:20], jnp.concatenate(losses))

    def test_no_steps_change_nothing(self):
        state = FKL.init(noise(), INFER)
        assert identical(state, stretch(FKL, state, 0).state)

    def test_the_loss_is_the_one_before_the_update(self, forty):
        learned = FKL.init(soft(noise()), INFER).learned
        first = FKL.loss(jr.fold_in(jr.key(7), 0), separable(), learned)
        np.testing.assert_allclose(forty.losses[0], first, rtol=1e-5)


class TestNonFinite:
    """A rate that is moderate for three steps and then enormous."""

    optimiser = optax.sgd(lambda count: jnp.where(count < 3, 1.0, jnp.inf))
    gone_wrong = Learner(ForwardKL(draws=5), optimiser)

    def test_the_last_good_state_is_kept_with_its_number(self):
        state = self.gone_wrong.init(noise(), INFER)
        good, end = stretch(self.gone_wrong, state, 3), stretch(self.gone_wrong, state, 10)
        assert good.finite
        assert not end.finite
        assert int(end.state.step) == 3
        assert identical(good.state, end.state)
        assert all(jnp.isfinite(leaf).all() for leaf in jax.tree.leaves(end.state.learned))
        assert jnp.isfinite(end.losses).all()

    def test_learn_names_the_step(self):
        with pytest.raises(UserError, match="Step 4 turned non-finite: lower"):
            learn(jr.key(7), self.gone_wrong, separable(), noise(), INFER, ROOM)

    @pytest.mark.parametrize("steps", [0, -1])
    def test_learn_needs_a_step(self, steps):
        with pytest.raises(UserError, match=f"steps={steps} must be at least 1"):
            learn(jr.key(7), W, separable(), noise(), INFER, steps)

    def test_an_enormous_inner_rate_stops_at_once(self):
        with pytest.raises(UserError, match="Step 1 turned non-finite"):
            learn(jr.key(7), W, separable(), noise(), Unroll(steps=8, rate=1e30), ROOM)


@eqx.filter_jit
def distance(learned: Learned):
    """The W loss, a mean over recalled experts."""
    keys = jr.split(jr.key(11), 32)
    return jax.vmap(lambda key: W.loss(key, separable(), learned))(keys).mean()


@eqx.filter_jit
def accuracy(learned: Learned):
    """Of a student that is trained on the coreset from an expert's initialisation."""
    problem = separable()
    infer = eqx.tree_at(lambda infer: infer.rate, INFER, learned.infer.rate)
    starts = problem.expert.trajectories[:, 0]
    theta = jax.vmap(lambda s: infer(jr.key(0), problem.model, learned.u, s).mean())(starts)
    logits = jax.vmap(problem.model.logits, (0, None))(theta, blobs().x)
    return (logits.argmax(-1) == blobs().y.argmax(-1)).mean()


@pytest.mark.parametrize(
    "of",
    [FKL, W, learner(ReverseKL(draws=10), OuterSGD(images=1e4, momentum=0.0))],
    ids=lambda of: of.divergence.name,
)
def test_learning_brings_the_student_to_the_expert(of: Learner):
    first = of.init(noise(), INFER)
    end = stretch(of, first, 40)
    assert end.finite
    assert accuracy(first.learned) < 0.5
    assert accuracy(end.state.learned) > 0.8
    assert distance(end.state.learned) < 0.2 * distance(first.learned)
