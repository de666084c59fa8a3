"""Every metric against an implementation that is not ours. A new one adds a row to `ORACLES`."""

import inspect
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from blackjax import diagnostics
from scipy.special import log_softmax, logsumexp
from sklearn.calibration import calibration_curve
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss

from pseudocore import metrics

POINTS, CLASSES, DRAWS = 300, 5, 7
BATCH = 128


class World(NamedTuple):
    """What some draws say of some points, in double precision, and the traces of some chains."""

    log_probs: np.ndarray  # draws x points x classes
    labels: np.ndarray
    trace: np.ndarray

    @property
    def average(self) -> np.ndarray:
        """Probabilities of the model average."""
        return np.exp(self.log_probs).mean(axis=0)

    @property
    def batches(self) -> list[slice]:
        return [slice(start, start + BATCH) for start in range(0, POINTS, BATCH)]

    @property
    def inputs(self) -> dict[str, jax.Array]:
        """The arguments of our metrics, by the names that they have there."""
        true = self.log_probs[:, np.arange(POINTS), self.labels]
        loglik = [true[:, batch].mean(axis=1) for batch in self.batches]
        arrays = {
            "probs": self.average,
            "log_probs": np.log(self.average),
            "batch_loglik": np.stack(loglik, axis=1),
            "trace": self.trace,
        }
        single = {name: jnp.asarray(array, jnp.float32) for name, array in arrays.items()}
        return single | {"labels": jnp.asarray(self.labels)}


def world(seed: int) -> World:
    """Draws that disagree, right seven times in ten however sure they are; chains that mix."""
    rng = np.random.default_rng(seed)
    logits = 2 * rng.standard_normal((POINTS, CLASSES)) + rng.standard_normal((DRAWS, POINTS, 1))
    log_probs = log_softmax(logits + rng.standard_normal((DRAWS, POINTS, CLASSES)), axis=2)
    best, other = log_probs.mean(axis=0).argmax(axis=1), rng.integers(0, CLASSES, POINTS)
    labels = np.where(rng.random(POINTS) < 0.7, best, other)
    trace = rng.standard_normal((4, 500))
    # Neighbours hang together, and chains have not quite met.
    trace[:, 1:] += trace[:, :-1] + 0.3 * rng.standard_normal((4, 1))
    return World(log_probs, labels, trace)


def one_against_rest(probs: np.ndarray, labels: np.ndarray) -> float:
    return sum(brier_score_loss(labels == c, probs[:, c]) for c in range(CLASSES))


def calibration(probs: np.ndarray, labels: np.ndarray, bins: int) -> float:
    """Σ_b n_b/n |acc_b - conf_b| on the curve of scikit-learn."""
    top = probs.max(axis=1)
    acc, conf = calibration_curve(probs.argmax(axis=1) == labels, top, n_bins=bins)
    sizes = np.unique(np.ceil(top * bins), return_counts=True)[1]
    return float((sizes / len(top) * np.abs(acc - conf)).sum())


def pooled_batch_by_batch(w: World) -> float:
    """The paper's NLL: log-mean-exp over draws of what scikit-learn says of every batch."""

    def loglik(draw: np.ndarray, batch: slice) -> float:
        return -log_loss(w.labels[batch], np.exp(draw[batch]), labels=range(CLASSES))

    of_batches = [[loglik(draw, batch) for draw in w.log_probs] for batch in w.batches]
    return float(-(logsumexp(of_batches, axis=1) - np.log(DRAWS)).mean())


rhat = jax.jit(diagnostics.potential_scale_reduction)
effective = jax.jit(diagnostics.effective_sample_size)

ORACLES: dict[Callable, Callable[[World], float]] = {
    metrics.accuracy: lambda w: accuracy_score(w.labels, w.average.argmax(axis=1)),
    metrics.brier: lambda w: one_against_rest(w.average, w.labels),
    metrics.ece: lambda w: calibration(w.average, w.labels, 15),
    metrics.nll: lambda w: log_loss(w.labels, w.average, labels=range(CLASSES)),
    metrics.published_ece: lambda w: np.mean(
        [calibration(w.average[batch], w.labels[batch], 29) for batch in w.batches]
    ),
    metrics.published_nll: pooled_batch_by_batch,
    metrics.split_rhat: lambda w: float(rhat(np.concatenate(np.split(w.trace, 2, axis=1)))),
    metrics.ess: lambda w: float(effective(w.trace)),
}
every = pytest.mark.parametrize("metric", ORACLES, ids=lambda metric: metric.__name__)
RTOL = dict.fromkeys(ORACLES, 1e-5)
RTOL[metrics.ess] = 5e-3  # blackjax adds a part of the pair that ends Geyer's sequence


def value(metric: Callable, inputs: dict[str, jax.Array]) -> float:
    names = [name for name in inspect.signature(metric).parameters if name in inputs]
    return float(jax.jit(metric)(*(inputs[name] for name in names)))


def test_every_metric_has_an_oracle():
    exported = {thing for thing in vars(metrics).values() if inspect.isfunction(thing)}
    assert exported == set(ORACLES)


@every
def test_it_agrees_with_its_oracle(metric):
    found = [value(metric, world(seed).inputs) for seed in range(3)]
    oracle = [ORACLES[metric](world(seed)) for seed in range(3)]
    np.testing.assert_allclose(found, oracle, rtol=RTOL[metric])
    assert max(oracle) / min(oracle) - 1 > 3 * RTOL[metric], "worlds that the tolerance confuses"


@every
def test_no_other_oracle_would_do(metric):
    found = value(metric, world(0).inputs)
    others = [oracle(world(0)) for other, oracle in ORACLES.items() if other is not metric]
    assert all(abs(found / other - 1) > 3 * RTOL[metric] for other in others)
