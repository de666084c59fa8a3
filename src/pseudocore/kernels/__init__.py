"""Markov kernels, one algorithm a file."""

from pseudocore.kernels.base import Info as Info
from pseudocore.kernels.base import Kernel as Kernel
from pseudocore.kernels.hmc import HMC as HMC
from pseudocore.kernels.hmc import PublishedHMC as PublishedHMC
from pseudocore.kernels.sghmc import SGHMC as SGHMC
