"""Every test runs with the shapes in the signatures checked, one thread a worker, and compiled programs kept."""

import os
from pathlib import Path

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

from jaxtyping import install_import_hook

install_import_hook("pseudocore", "beartype.beartype")

import jax

jax.config.update("jax_compilation_cache_dir", str(Path(__file__).parent.parent / ".xla_cache"))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.3)
