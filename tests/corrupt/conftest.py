"""Pictures with edges, flat parts, black, white, grey and strong colours."""

import numpy as np
import pytest
from scipy import ndimage


@pytest.fixture(scope="session")
def images() -> np.ndarray:
    """12 smooth colour pictures of 32 x 32 bytes; the last three: black, white, grey."""
    rng = np.random.default_rng(0)
    fields = ndimage.gaussian_filter(rng.standard_normal((12, 32, 32, 3)), (0, 2, 2, 0.4))
    fields += 0.5 * (ndimage.gaussian_filter(rng.standard_normal(fields.shape), (0, 3, 3, 0)) > 0)
    low, high = fields.min(axis=(1, 2, 3), keepdims=True), fields.max(axis=(1, 2, 3), keepdims=True)
    pictures = (255 * (fields - low) / (high - low)).astype(np.uint8)
    pictures[9:] = np.array([0, 255, 100])[:, None, None, None]
    return pictures


@pytest.fixture(scope="session")
def x(images) -> np.ndarray:
    return (images / 255).astype(np.float32)


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(1)
