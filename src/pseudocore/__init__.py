"""Bayesian pseudocoresets on JAX. The public names stand in `__init__.pyi`; each loads when first used."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
