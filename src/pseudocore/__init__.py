"""Bayesian pseudocoresets on JAX. Public names stand in `__init__.pyi`; each loads when used."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
