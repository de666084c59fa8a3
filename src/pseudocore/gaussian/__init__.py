"""Worlds in which every posterior and every divergence is known in closed form."""

from pseudocore.gaussian.conjugate import Conjugate as Conjugate
from pseudocore.gaussian.conjugate import Exact as Exact
from pseudocore.gaussian.distances import kl as kl
from pseudocore.gaussian.distances import w2 as w2
from pseudocore.gaussian.location import Location as Location
