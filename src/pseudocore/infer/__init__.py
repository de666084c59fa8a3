"""Inferences: data in, posterior out."""

from pseudocore.infer.base import Infer as Infer
from pseudocore.infer.mcmc import MCMC as MCMC
from pseudocore.infer.mcmc import PriorUnits as PriorUnits
from pseudocore.infer.mcmc import RawUnits as RawUnits
from pseudocore.infer.unroll import Unroll as Unroll
