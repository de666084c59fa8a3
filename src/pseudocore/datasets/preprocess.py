"""How stored values become points, as data that travels with whatever was learned from them."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import equinox as eqx
import numpy as np
from jax import Array

from pseudocore.datasets.whiten import Unwhitened, Whitening
from pseudocore.errors import UserError
from pseudocore.types import Shape

BLOCK = 256  # points at a time: what is worked on stays in the processor's cache
ALIGNMENT = 64  # bytes: memory that lies so reaches the device several times faster
READ = 2048  # points at a time where each is looked at once
CLOSE = 1e-5  # sums of the same numbers differ by less than this from machine to machine


class Standardise(eqx.Module):
    """(x - mean) / deviation per channel, and back."""

    mean: tuple[float, ...] = eqx.field(static=True)
    deviation: tuple[float, ...] = eqx.field(static=True)

    def __call__(self, values: np.ndarray) -> np.ndarray:
        # Constants of a whole point: NumPy would loop over three channels many times slower.
        mean, deviation = (
            np.ascontiguousarray(np.broadcast_to(np.asarray(c, np.float32), values.shape[1:]))
            for c in (self.mean, self.deviation)
        )
        centred = values.astype(np.float32) - mean
        return np.divide(centred, deviation, out=centred)

    def undo(self, x: np.ndarray | Array) -> np.ndarray:
        """Standardised values as they were."""
        return np.asarray(x) * np.asarray(self.deviation) + np.asarray(self.mean)


class Preprocess(eqx.Module):
    """Stored values over `white`, standardised by channel, then whitened if asked; and back."""

    standardise: Standardise
    shape: Shape = eqx.field(static=True)  # of a point: (height, width, channels) or (features,)
    channels: str = eqx.field(static=True)  # what they are, in their order
    white: float = eqx.field(static=True, default=1.0)  # the stored value that is read as 1
    whitening: Whitening = Unwhitened()

    def __call__(self, values: np.ndarray) -> np.ndarray:
        """Points in float32: several blocks at once, for loading is mostly this."""
        points = aligned(values.shape)

        def fill(start: int) -> None:
            block = slice(start, start + BLOCK)
            points[block] = self.standardise(scaled(values[block]))

        with ThreadPoolExecutor() as pool:
            list(pool.map(fill, range(0, len(values), BLOCK)))
        return self.whitening(points)

    def undo(self, x: np.ndarray | Array) -> np.ndarray:
        """Points as values again: 0 black, 1 white, learned ones beyond."""
        return self.standardise.undo(self.whitening.undo(np.asarray(x)))

    def differences(self, other: "Preprocess") -> list[str]:
        """What differs between two preparations, in words; rounding does not."""
        ours, theirs = self.standardise, other.standardise
        unit = ours.deviation
        pairs = {
            "shape": (self.shape, other.shape, self.shape == other.shape),
            "channels": (self.channels, other.channels, self.channels == other.channels),
            "mean": (ours.mean, theirs.mean, alike(ours.mean, theirs.mean, unit)),
            "deviation": (
                ours.deviation,
                theirs.deviation,
                alike(ours.deviation, theirs.deviation, unit),
            ),
        }
        said = [f"{name} {a} against {b}" for name, (a, b, same) in pairs.items() if not same]
        return said + self.whitening.differences(other.whitening)


def alike(a: tuple[float, ...], b: tuple[float, ...], unit: tuple[float, ...]) -> bool:
    """Whether only rounding tells these numbers apart, beside what data differ by."""
    if len(a) != len(b):
        return False
    return bool(np.isclose(a, b, rtol=np.finfo(np.float32).eps, atol=CLOSE * np.array(unit)).all())


def check_meet(what: str, theirs: Preprocess, here: str, ours: Preprocess) -> None:
    """Refuse to bring together points that were not prepared alike."""
    found = theirs.differences(ours)
    if found:
        raise UserError(
            f"{what} and {here} were not prepared alike: {'; '.join(found)}. Points of the one "
            "mean nothing to a network of the other: use the data, held-out part and seed that "
            "both came from, or learn again."
        )


def scaled(values: np.ndarray) -> np.ndarray:
    """Bytes as numbers from 0 to 1; other values as they are."""
    return values.astype(np.float32) / np.float32(255) if values.dtype == np.uint8 else values


def aligned(shape: Shape) -> np.ndarray:
    """An empty float32 array whose memory begins at a multiple of `ALIGNMENT`."""
    size = int(np.prod(shape)) * np.dtype(np.float32).itemsize
    memory = np.empty(size + ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    return memory[start : start + size].view(np.float32).reshape(shape)


def statistics(values: np.ndarray, index: np.ndarray | None = None) -> Standardise:
    """Mean and deviation of each channel (of images) or feature (of rows), of these points."""
    index = np.arange(len(values)) if index is None else index
    if values.dtype == np.uint8:
        return of_bytes(values, index)
    values = values[index]
    axes = tuple(range(values.ndim - 1))
    mean, deviation = (f(axes, dtype=np.float64) for f in (values.mean, values.std))
    # Of equal numbers the deviation is rounding error; what float32 cannot tell apart is equal.
    float32 = np.finfo(np.float32)
    varies = deviation > float32.eps * np.abs(mean) + float32.tiny
    return Standardise(tuple(mean.tolist()), tuple(np.where(varies, deviation, 1.0).tolist()))


def of_bytes(values: np.ndarray, index: np.ndarray) -> Standardise:
    """The same of bytes as numbers from 0 to 1, exactly: they are counted, not added."""
    counts = np.zeros((values.shape[-1], 256))
    for block in blocks(values, index):
        for channel, held in enumerate(counts):
            held += np.bincount(block[..., channel].ravel(), minlength=256)
    levels, shares = np.arange(256) / 255, counts / counts.sum(axis=1, keepdims=True)
    mean = shares @ levels
    deviation = np.sqrt((shares * (levels - mean[:, None]) ** 2).sum(axis=1))
    varies = np.count_nonzero(shares, axis=1) > 1
    return Standardise(tuple(mean.tolist()), tuple(np.where(varies, deviation, 1.0).tolist()))


def blocks(values: np.ndarray, index: np.ndarray) -> Iterator[np.ndarray]:
    """These points, a few at a time: all of them may be larger than memory."""
    for start in range(0, len(index), READ):
        yield values[index[start : start + READ]]
