"""Coresets that are subsets of the data, or plain averages of it: what learning must beat."""

from pseudocore.select.base import Select as Select
from pseudocore.select.base import pixels as pixels
from pseudocore.select.herding import Herding as Herding
from pseudocore.select.kcenter import KCenter as KCenter
from pseudocore.select.means import ClassMeans as ClassMeans
from pseudocore.select.random import RandomSubset as RandomSubset
