"""The 19 corruptions under their published names, in the published order."""

from pseudocore.corrupt.base import Corruption
from pseudocore.corrupt.blur import BLUR
from pseudocore.corrupt.digital import DIGITAL
from pseudocore.corrupt.noise import NOISE
from pseudocore.corrupt.spatter import SPATTER
from pseudocore.corrupt.weather import WEATHER

BENCHMARK = (
    "gaussian_noise",
    "shot_noise",
    "impulse_noise",
    "defocus_blur",
    "glass_blur",
    "motion_blur",
    "zoom_blur",
    "snow",
    "frost",
    "fog",
    "brightness",
    "contrast",
    "elastic_transform",
    "pixelate",
    "jpeg_compression",
)
EXTRA = ("speckle_noise", "gaussian_blur", "spatter", "saturate")

_ALL = NOISE | BLUR | WEATHER | SPATTER | DIGITAL
assert set(_ALL) == {*BENCHMARK, *EXTRA}, "a corruption that is in no tuple would not be there"
# The order is part of the draws: a corruption's number seeds its generator.
CORRUPTIONS: dict[str, Corruption] = {name: _ALL[name] for name in (*BENCHMARK, *EXTRA)}
