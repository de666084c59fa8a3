"""Augmentations: pure functions (key, images) -> images, as frozen values."""

from pseudocore.augment.base import Augment as Augment
from pseudocore.augment.base import Unchanged as Unchanged
from pseudocore.augment.color import Color as Color
from pseudocore.augment.cutout import Cutout as Cutout
from pseudocore.augment.dsa import DSA as DSA
from pseudocore.augment.geometry import Crop as Crop
from pseudocore.augment.geometry import Flip as Flip
from pseudocore.augment.geometry import Rotate as Rotate
from pseudocore.augment.geometry import Scale as Scale
