"""Architectures, one a file."""

from pseudocore.networks.base import Network as Network
from pseudocore.networks.convnet import ConvNet as ConvNet
from pseudocore.networks.foreign import Function as Function
from pseudocore.networks.foreign import Module as Module
from pseudocore.networks.linear import Linear as Linear
from pseudocore.networks.mlp import MLP as MLP
from pseudocore.networks.norm import GroupNorm as GroupNorm
from pseudocore.networks.norm import InstanceNorm as InstanceNorm
from pseudocore.networks.norm import NoNorm as NoNorm
