"""How good are predictions, and have the chains that made them converged: one formula a file."""

from pseudocore.metrics.accuracy import accuracy as accuracy
from pseudocore.metrics.brier import brier as brier
from pseudocore.metrics.ece import ece as ece
from pseudocore.metrics.nll import nll as nll
from pseudocore.metrics.published import published_ece as published_ece
from pseudocore.metrics.published import published_nll as published_nll
from pseudocore.metrics.rhat import ess as ess
from pseudocore.metrics.rhat import split_rhat as split_rhat
