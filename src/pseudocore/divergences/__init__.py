"""Divergences between the posteriors of u and of x, one a file."""

from pseudocore.divergences.base import Divergence as Divergence
from pseudocore.divergences.base import Match as Match
from pseudocore.divergences.diagonal import DiagonalWasserstein as DiagonalWasserstein
from pseudocore.divergences.forward_kl import ForwardKL as ForwardKL
from pseudocore.divergences.gradient_matching import L2 as L2
from pseudocore.divergences.gradient_matching import InnerProduct as InnerProduct
from pseudocore.divergences.gradient_matching import LayerCosine as LayerCosine
from pseudocore.divergences.reverse_kl import ReverseKL as ReverseKL
from pseudocore.divergences.wasserstein import Wasserstein as Wasserstein
