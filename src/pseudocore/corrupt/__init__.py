"""The corruptions of CIFAR-10-C (Hendrycks and Dietterich, ICLR 2019), made anew.

Its definitions and constants, but other draws: say so wherever a number made with it stands. The
textures of `frost` are drawn here, so its numbers can be compared with published ones in kind only.
"""

from pseudocore.corrupt.apply import corrupt as corrupt
from pseudocore.corrupt.base import SEVERITIES as SEVERITIES
from pseudocore.corrupt.base import Corruption as Corruption
from pseudocore.corrupt.table import BENCHMARK as BENCHMARK
from pseudocore.corrupt.table import CORRUPTIONS as CORRUPTIONS
from pseudocore.corrupt.table import EXTRA as EXTRA
