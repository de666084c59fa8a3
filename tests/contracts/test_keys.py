"""No key is used twice. JAX's own checker follows every key through what a part traces to.

A new kernel, inference, divergence, augmentation, source, posterior or network adds a row to
`USES`, a selection one to `SELECTIONS`. To the checker, what `fold_in` returns is new whatever was
folded in. So there, and in the steps on which all results rest, what comes out is looked at too:
numbers that should know nothing of each other are not correlated.
"""

import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any, ClassVar, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from jax.errors import KeyReuseError
from jax.experimental.key_reuse import _core as checker
from jax.extend.core import check_jaxpr
from jax.extend.core.primitives import custom_jvp_call_p
from jax.interpreters.partial_eval import dce_jaxpr

import pseudocore.augment
import pseudocore.data
import pseudocore.divergences
import pseudocore.expert
import pseudocore.gaussian
import pseudocore.infer
import pseudocore.kernels
import pseudocore.networks
import pseudocore.posterior
import pseudocore.select
from pseudocore.augment import DSA, Augment, Color, Crop, Cutout, Flip, Rotate, Scale, Unchanged
from pseudocore.data import Augmented, Augmenting, Data, Minibatches, Source, labelled
from pseudocore.divergences import (
    L2,
    DiagonalWasserstein,
    Divergence,
    ForwardKL,
    InnerProduct,
    LayerCosine,
    Match,
    ReverseKL,
    Wasserstein,
)
from pseudocore.evaluate import Judge
from pseudocore.expectation import streamed_mean
from pseudocore.expert import Expert, Memory, Recall
from pseudocore.gaussian import Exact, Location
from pseudocore.gaussian.study import Study, train
from pseudocore.infer import MCMC, Infer, Unroll
from pseudocore.kernels import HMC, SGHMC, Kernel, PublishedHMC
from pseudocore.kernels.hmc import kinetic, leapfrog
from pseudocore.kernels.metropolis import choose
from pseudocore.learn import Learner, Problem
from pseudocore.model import Joint, LogDensity, Model, Target
from pseudocore.networks import MLP, ConvNet, Function, Linear, Module, Network
from pseudocore.optimise import OuterSGD
from pseudocore.posterior import AlongPath, Correlated, Empirical, Gaussian, Posterior, detach
from pseudocore.select import ClassMeans, Herding, KCenter, RandomSubset, Select, pixels
from pseudocore.train import Training, train_experts
from pseudocore.types import Scalar

RNG = np.random.default_rng(0)
IMAGES = jnp.asarray(RNG.standard_normal((12, 4, 4, 1)), jnp.float32)
DATA = labelled(IMAGES, jnp.arange(12) % 3, 3, mass=12.0)
MODEL = Model.of(Linear(), DATA)
SIZE = MODEL.layout.size
START = jnp.zeros(SIZE)
Q = Gaussian(START, jnp.asarray(1.0))
BATCHES = Minibatches(DATA, 5)
SEEN = Augmented(DATA, DSA())
UNITS = jnp.ones(SIZE)
STILL = LogDensity(MODEL, DATA, UNITS)
EXPERT = Expert(jnp.asarray(RNG.standard_normal((2, 5, SIZE)), jnp.float32), 2, 2, AlongPath())


class Point(Posterior):
    """All mass at one place: a draw uses no key."""

    centre: jax.Array

    def mean(self):
        return self.centre

    def sample(self, key):
        return self.centre


class Use(NamedTuple):
    """A part of the package, and what it does with a key."""

    part: Any
    what: str
    does: Callable[[Any], Any]
    random: bool = True


def chain(kernel: Kernel, target: LogDensity | Target, what: str) -> Use:
    def does(key):
        key_init, key_step = jr.split(key)
        return kernel.step(key_step, target, kernel.init(key_init, target, START))

    return Use(kernel, what, does)


def inference(infer: Infer, source: Source, what: str) -> Use:
    return Use(infer, what, lambda key: infer(key, MODEL, source, START))


def differentiated(infer: Unroll) -> Use:
    def does(key):
        def end(data: Data):
            return infer(key, MODEL, Augmented(data, DSA()), START).mean().sum()

        return jax.grad(end)(DATA)

    return Use(infer, "differentiated", does)


def run(chain: MCMC, source: Source, what: str) -> Use:
    def does(key):
        key_start, key_run = jr.split(key)
        return chain.run(key_run, MODEL, source, chain.start(key_start, MODEL))

    return Use(chain, what, does)


def divergence(divergence: Divergence, random: bool = True) -> Use:
    """Differentiated: the checker does not look into a function with its own gradient."""

    def does(key):
        def loss(u: Data):
            return divergence(key, Match(MODEL, Augmented(u, DSA()), BATCHES, Q, Q, START))

        return jax.value_and_grad(loss)(DATA)

    return Use(divergence, "its gradient", does, random)


def learning(divergence: Divergence, infer: Infer) -> Use:
    learner = Learner(divergence, OuterSGD(1.0, 1.0, 1.0, 0.1).build(), DSA())
    problem, state = Problem(MODEL, EXPERT, BATCHES), learner.init(DATA, infer)
    what = f"step with {divergence!r} and {type(infer).__name__}"
    return Use(learner, what, lambda key: learner.step(key, problem, state))


def training() -> list[Use]:
    sgd = Training(batch=5, augment=DSA())
    return [
        Use(sgd, "epoch", lambda key: sgd.epoch(key, MODEL, DATA, START)),
        Use(sgd, "experts", lambda key: train_experts(key, MODEL, DATA, sgd, 2, 2)),
    ]


def studying(study: Study) -> Use:
    weights = jnp.ones((2, study.points))
    return Use(study, "runs", lambda key: train(study, Wasserstein(), weights, jr.split(key, 2)))


def judging(chain: MCMC, what: str, **view: Any) -> Use:
    judge = Judge("judge", "textbook", chain, **view)
    return Use(judge, what, lambda key: judge.run(jr.split(key, 2), MODEL, DATA, DATA))


def module(key):
    key_a, key_b = jr.split(key)
    inner = eqx.nn.Linear(16, 4, key=key_a)
    return eqx.nn.Sequential([eqx.nn.Lambda(jnp.ravel), inner, eqx.nn.Linear(4, 3, key=key_b)])


def network(network: Network) -> Use:
    return Use(network, "init", lambda key: network.init(key, (4, 4, 1), 3))


def source(source: Source, random: bool = True) -> Use:
    return Use(source, "draw", lambda key: source.draw(key), random)


LOCATION = Location.of(jnp.eye(2), jnp.zeros(2), jnp.eye(2))
POINTS = Minibatches(Data(jnp.ones((4, 2)), jnp.ones((4, 1)), jnp.ones(4)), 2)
SHORT = MCMC(HMC(0.1, 2), 8, 4)
NOISY = MCMC(SGHMC(0.1, 2), 8, 4)

MATCHINGS = L2(), InnerProduct(), LayerCosine()

USES = [
    chain(HMC(0.1, 2), STILL, "on points"),
    chain(PublishedHMC(0.1, 2), STILL, "on points"),
    chain(SGHMC(0.1, 2), STILL, "on points"),
    chain(SGHMC(0.1, 2), Target(MODEL, BATCHES, UNITS), "on batches"),
    chain(SGHMC(0.1, 2), Target(MODEL, SEEN, UNITS), "on augmented points"),
    inference(Unroll(2), SEEN, "on augmented points"),
    inference(Unroll(2), BATCHES, "on batches"),
    differentiated(Unroll(2)),
    run(SHORT, DATA, "start and run on points"),
    run(NOISY, BATCHES, "start and run on batches"),
    run(NOISY, SEEN, "start and run on augmented points"),
    Use(Exact(), "on batches", lambda key: Exact()(key, LOCATION, POINTS, jnp.zeros(2))),
    divergence(ForwardKL(3)),
    divergence(ReverseKL(3)),
    *(divergence(matching) for matching in MATCHINGS),
    divergence(Wasserstein(), random=False),
    divergence(DiagonalWasserstein(), random=False),
    learning(ForwardKL(3), Unroll(2)),
    learning(ForwardKL(3), NOISY),
    learning(ReverseKL(3), Unroll(2)),
    learning(Wasserstein(), Unroll(2)),
    learning(DiagonalWasserstein(), Unroll(2, spread=AlongPath())),
    *(learning(matching, Unroll(2)) for matching in MATCHINGS),
    *training(),
    studying(Study(dimensions=2, points=4, sizes=(2,), steps=4, looks=2)),
    judging(SHORT, "seeds on points"),
    judging(NOISY, "seeds on augmented points", view=Augmenting(DSA())),
    Use(EXPERT, "recall", lambda key: EXPERT.recall(key)),
    *(
        Use(augment, "images", lambda key, augment=augment: augment(key, IMAGES), random)
        for augment, random in [
            (Unchanged(), False),
            *((a, True) for a in (Color(), Crop(), Cutout(), Flip(), Scale(), Rotate(), DSA())),
        ]
    ),
    source(DATA, random=False),
    source(SEEN),
    source(BATCHES),
    *(
        Use(posterior, "sample", lambda key, posterior=posterior: posterior.sample(key))
        for posterior in (Q, Correlated(jnp.zeros(2), jnp.eye(2)), Empirical(jnp.zeros((4, 3))))
    ),
    network(Linear()),
    network(MLP(4, depth=2)),
    network(ConvNet(2, 2)),
    network(Function(lambda key: jr.normal(key, (16, 3)), jnp.matmul)),
    network(Module(module)),
]
SELECTIONS = [RandomSubset(), Herding(), KCenter(), ClassMeans()]


def checked(does: Callable[[Any], Any]) -> str:
    """What a function of a key traces to, once the checker has let it pass.

    What no output needs is left out, such as a key that was taken from many for its shape alone.
    """
    program = jax.make_jaxpr(does)(jr.key(0)).jaxpr
    needed, _ = dce_jaxpr(program, [True] * len(program.outvars))
    with jax.debug_key_reuse(True):
        check_jaxpr(needed)
    return str(needed)


@checker.dynamic_key_reuse_signature
def look_inside(equation):
    return checker.jaxpr_type_signature(equation.params["call_jaxpr"].jaxpr)


def in_turn(f, in_axes=0):
    """`jax.vmap`, one row after the other."""

    def mapped(*args):
        axes = in_axes if isinstance(in_axes, tuple) else (in_axes,) * len(args)
        moving = [arg for arg, axis in zip(args, axes, strict=True) if axis == 0]

        def one(rows):
            rows, both = iter(rows), zip(args, axes, strict=True)
            return f(*(arg if axis is None else next(rows) for arg, axis in both))

        return jax.lax.map(one, moving)

    return mapped


@pytest.fixture
def gaps(monkeypatch):
    """What the checker has no rules for, and takes for a use of every key that passes through.

    Functions with a derivative of their own, into which Equinox wraps what has none; and loops and
    choices in a batch: one row after the other they are the same program.
    """
    monkeypatch.setitem(checker.key_reuse_signatures, custom_jvp_call_p, look_inside)
    monkeypatch.setattr(jax, "vmap", in_turn)


@pytest.mark.parametrize("use", USES, ids=lambda use: f"{type(use.part).__name__}, {use.what}")
def test_no_key_is_used_twice(use: Use, gaps):
    program = checked(use.does)
    # A row in which nothing is drawn would pass whatever its part did.
    assert ("random_bits" in program) is use.random


@pytest.mark.parametrize("select", SELECTIONS, ids=repr)
def test_no_selection_uses_a_key_twice(select: Select):
    """They run on the host, where the key itself knows that it is spent."""
    key = jr.key(0)
    with jax.debug_key_reuse(True):
        select(key, DATA, pixels(DATA), 2)
        with pytest.raises(KeyReuseError):
            jr.normal(key)


@pytest.mark.parametrize(
    ("module", "kind"),
    [
        (pseudocore.kernels, Kernel),
        (pseudocore.infer, Infer),
        (pseudocore.gaussian, Infer),
        (pseudocore.divergences, Divergence),
        (pseudocore.augment, Augment),
        (pseudocore.data, Source),
        (pseudocore.posterior, Posterior),
        (pseudocore.expert, Memory),
        (pseudocore.networks, Network),
        (pseudocore.select, Select),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_whatever_takes_a_key_has_a_row(module: ModuleType, kind: type):
    exported = {
        thing
        for thing in vars(module).values()
        if inspect.isclass(thing) and issubclass(thing, kind) and not inspect.isabstract(thing)
    }
    assert exported
    assert exported <= {type(use.part) for use in USES} | {type(select) for select in SELECTIONS}


class OneKeyForTwo(HMC):
    """The accept test sees the bits that the first momentum was made from."""

    def step(self, key, target, state):
        momentum = jr.normal(key, state.z.shape)
        proposal, end = leapfrog(target, state, momentum, self.step_size, self.leapfrogs)
        log_ratio = (proposal.value - kinetic(end)) - (state.value - kinetic(momentum))
        return choose(key, log_ratio, proposal, state)


def one_key(u: Source, key, constants):
    model, q_u, q_x = constants
    seen = u.draw(key)
    return model.loglik(q_u.sample(key), seen) - model.loglik(q_x.sample(key), seen)


class OneKeyForAll(ForwardKL):
    """The draws of both sides and the augmentation share one key."""

    name: ClassVar[str] = "one key"

    def __call__(self, key, match):
        constants = detach((match.model, match.q_u, match.q_x))
        return streamed_mean(match.u, one_key, jr.split(key, self.draws), constants)


class OneKeyForBatch(SGHMC):
    """Every inner step draws with the key of the whole step."""

    def step(self, key, target, state):
        def inner(state, _):
            uphill = jax.grad(target.draw(key))(state.z)
            return eqx.tree_at(lambda s: s.z, state, state.z + uphill), None

        return jax.lax.scan(inner, state, length=self.leapfrogs)[0], None


@pytest.mark.parametrize(
    "faulty",
    [
        chain(OneKeyForTwo(0.1, 2), STILL, "two draws"),
        chain(OneKeyForBatch(0.1, 2), Target(MODEL, BATCHES, UNITS), "a loop"),
        divergence(OneKeyForAll(3)),
        learning(OneKeyForAll(3), Unroll(2)),
    ],
    ids=lambda use: f"{type(use.part).__name__}, {use.what}",
)
def test_a_key_that_is_used_twice_is_found_out(faulty: Use, gaps):
    """In a kernel, in a loop, and inside of an expectation with its own gradient."""
    with pytest.raises(KeyReuseError):
        checked(faulty.does)


MANY = 4000
KEYS = jr.split(jr.key(1), MANY)
CHANCE = 4.5 / MANY**0.5


def correlations(*numbers) -> np.ndarray:
    """Between numbers that were drawn under many keys."""
    matrix = np.corrcoef(np.stack([np.asarray(number, float) for number in numbers]))
    assert np.isfinite(matrix).all(), "a number that never changes"
    return matrix[np.triu_indices(len(matrix), 1)]


class Jitter(Augment):
    """x -> x + noise, the first numbers that a key gives."""

    def __call__(self, key, x):
        return x + jr.normal(key, x.shape)


class Product(Joint):
    """Σ_i w_i x_i · θ: what one key gives to θ and to x at once does not average out."""

    def loglik(self, theta, data):
        return data.w @ (data.x @ theta)

    def logprior(self, theta):
        return jnp.zeros(())

    def scale(self):
        return jnp.ones(1)


ZERO = Data(jnp.zeros((1, 1)), jnp.ones((1, 1)), jnp.ones(1))
NOISE = Augmented(ZERO, Jitter())
UNIT = Gaussian(jnp.zeros(1), jnp.ones(()))


def test_forward_kl_draws_both_sides_and_the_augmentation_apart():
    """(θ_u - θ_x) · ε has mean 0 and variance 2, a mean of four of them a quarter of it."""
    match = Match(Product(), NOISE, NOISE, UNIT, UNIT, jnp.zeros(1))
    values = jax.jit(jax.vmap(lambda key: ForwardKL(4)(key, match)))(KEYS)
    assert abs(values.mean()) < 4.5 * values.std() / MANY**0.5
    # The square of one product has a variance of 32.
    np.testing.assert_allclose(values.var(), 2 / 4, rtol=4.5 * (8 / MANY) ** 0.5)


class Coin(LogDensity):
    """1 at the origin and `level` elsewhere, without a slope."""

    level: Scalar

    def __call__(self, z):
        return jnp.where((z == 0).all(), 0.0, jnp.log(self.level) + 0 * z.sum())


@eqx.filter_jit
def moves(kernel: Kernel, level: Scalar):
    """Where one step from the origin leads, a row a key."""
    target = Coin(Product(), ZERO, jnp.ones(1), level)
    start = kernel.init(jr.key(0), target, jnp.zeros(2))
    return jax.vmap(lambda key: kernel.step(key, target, start)[0].z)(KEYS)


ALWAYS, HALF = jnp.asarray(1.0), jnp.asarray(0.5)


@pytest.mark.parametrize("kernel", [HMC(1.0, 1), PublishedHMC(1.0, 1, momentum=1.0)], ids=repr)
def test_the_accept_test_knows_nothing_of_the_proposal(kernel):
    """Every proposal is taken with probability a half, wherever it leads."""
    proposals, taken = moves(kernel, ALWAYS), (moves(kernel, HALF) != 0).any(axis=1)
    assert abs(taken.mean() - 0.5) < CHANCE / 2
    assert np.abs(correlations(taken, *proposals.T)).max() < CHANCE


def test_the_jitter_of_hmc_knows_nothing_of_the_momentum_and_the_accept_test():
    momentum = moves(HMC(1.0, 1, jitter=0.0), ALWAYS)
    stretch = (moves(HMC(1.0, 1), ALWAYS) / momentum)[:, 0]
    taken = (moves(HMC(1.0, 1), HALF) != 0).any(axis=1)
    assert np.abs(correlations(stretch, taken, *momentum.T)).max() < CHANCE


def test_the_noise_of_sghmc_knows_nothing_of_the_data():
    """A kick of variance 1 by the data and one by the noise add up to 2, and would to 4."""
    kernel, target = SGHMC(1.0, 1, friction=0.5), Target(Product(), NOISE, jnp.ones(1))
    rest = eqx.tree_at(
        lambda state: state.momentum, kernel.init(jr.key(0), target, jnp.zeros(1)), jnp.zeros(1)
    )
    kicks = jax.jit(jax.vmap(lambda key: kernel.step(key, target, rest)[0].momentum))(KEYS)
    np.testing.assert_allclose(kicks.var(), 2, rtol=4.5 * (2 / MANY) ** 0.5)


class Tells(Memory, Infer):
    """A memory and an inference whose answers are what their keys give."""

    def recall(self, key):
        return Recall(jr.normal(key, (1,)), UNIT)

    def __call__(self, key, model, source, start):
        return Point(jr.normal(key, (1,)))


class Told(Divergence):
    """The loss is what one of the parts of a step was given."""

    name: ClassVar[str] = "told"
    part: jax.Array

    def __call__(self, key, match):
        parts = match.start[0], match.q_u.mean()[0], jr.normal(key)
        return jnp.stack(parts)[self.part]


@jax.jit
def told(part, keys, steps):
    """What a part of a step is given, by run and number of the step."""
    learner = Learner(Told(part), OuterSGD().build())
    state = learner.init(ZERO, Tells())

    def value(key, step):
        at = eqx.tree_at(lambda state: state.step, state, step)
        return learner.step(key, Problem(Product(), Tells(), ZERO), at)[1]

    return jax.vmap(value)(keys, steps)


RECALL, INFER, DIVERGENCE = jnp.arange(3)


def test_the_parts_of_a_learning_step_know_nothing_of_each_other():
    first = jnp.zeros(MANY, jnp.int32)
    parts = [told(part, KEYS, first) for part in (RECALL, INFER, DIVERGENCE)]
    assert np.abs(correlations(*parts)).max() < CHANCE


def test_every_step_of_every_run_has_its_own_numbers():
    runs, steps = jnp.repeat(KEYS[:2], MANY // 2), jnp.tile(jnp.arange(MANY // 2), 2)
    numbers = np.asarray(told(RECALL, runs, steps))
    assert len(np.unique(numbers)) > 0.99 * MANY
    one, other = numbers.reshape(2, -1)
    near = correlations(one[:-1], one[1:], other[:-1], other[1:])
    assert np.abs(near).max() < 2**0.5 * CHANCE


def test_every_epoch_of_every_expert_has_its_own_numbers():
    """From one point at 0 the weights move along the noise that it is seen with."""
    size, count, epochs = 2000, 3, 4
    point = Data(jnp.zeros((1, size)), jnp.array([[1.0, 0.0]]), jnp.ones(1))
    network = Function(
        lambda key: 0.01 * jr.normal(key, (size,)),
        lambda params, x: jnp.stack([x @ params, jnp.zeros(len(x))], axis=1),
    )
    training = Training(rate=0.01, augment=Jitter())
    path = train_experts(jr.key(0), Model.of(network, point), point, training, count, epochs)
    numbers = jnp.concatenate([path[:, :1], jnp.diff(path, axis=1)], axis=1).reshape(-1, size)
    assert len(numbers) == count * (epochs + 1)
    assert np.abs(correlations(*numbers)).max() < 5 / size**0.5
