"""Whitening: points whose coordinates are uncorrelated over the training data."""

import abc

import equinox as eqx
import numpy as np

from pseudocore.checks import positive

CLOSE = 1e-3  # of a matrix from the eigenvectors of thousands of coordinates, machine to machine


class Whitening(eqx.Module):
    """An invertible linear map of points, fitted to the training data or none."""

    @abc.abstractmethod
    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Points, whitened."""

    @abc.abstractmethod
    def undo(self, x: np.ndarray) -> np.ndarray:
        """Points as they were before."""

    @abc.abstractmethod
    def differences(self, other: "Whitening") -> list[str]:
        """What differs from another map, in words."""


class Whiten(eqx.Module):
    """How points are whitened; `fit` finds the map in the training points."""

    @abc.abstractmethod
    def fit(self, x: np.ndarray) -> Whitening:
        """The map for data like these."""


class Unwhitened(Whiten, Whitening):
    """Points as they are."""

    def fit(self, x: np.ndarray) -> Whitening:
        return self

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return x

    def undo(self, x: np.ndarray) -> np.ndarray:
        return x

    def differences(self, other: Whitening) -> list[str]:
        return [] if isinstance(other, Unwhitened) else ["not whitened against whitened"]


class Rotated(Whitening):
    """(x - mean) W for points as rows of numbers."""

    mean: np.ndarray
    matrix: np.ndarray

    def __call__(self, x: np.ndarray) -> np.ndarray:
        rows = (x.reshape(len(x), -1) - self.mean) @ self.matrix
        return np.ascontiguousarray(rows.reshape(x.shape), np.float32)

    def undo(self, x: np.ndarray) -> np.ndarray:
        rows = np.linalg.solve(self.matrix.astype(np.float64).T, x.reshape(len(x), -1).T).T
        return (rows + self.mean).reshape(x.shape)

    def differences(self, other: Whitening) -> list[str]:
        if not isinstance(other, Rotated):
            return ["whitened against not whitened"]
        scale = np.abs(self.matrix).max()
        if self.matrix.shape == other.matrix.shape and np.allclose(
            self.matrix, other.matrix, rtol=CLOSE, atol=CLOSE * scale
        ):
            return []
        return ["whitened by another matrix"]


class ZCA(Whiten):
    """W = E (Λ + strength)^-½ Eᵀ, of the covariance E Λ Eᵀ of standardised training points.

    Of all maps that whiten, the one that changes the points least, so that images stay images.
    """

    strength: float = eqx.field(static=True, default=0.1)

    def __check_init__(self):
        positive(self, "strength", of="whiten")

    def fit(self, x: np.ndarray) -> Whitening:
        rows = x.reshape(len(x), -1)
        mean = rows.mean(0, dtype=np.float64).astype(np.float32)
        centred = rows - mean
        values, vectors = np.linalg.eigh((centred.T @ centred).astype(np.float64) / len(rows))
        scale = 1 / np.sqrt(np.maximum(values, 0) + self.strength)
        return Rotated(mean, ((vectors * scale) @ vectors.T).astype(np.float32))
