"""Every test runs with the shapes in the signatures checked and one thread a worker."""

import os
import tempfile
from pathlib import Path

import jax
from jaxtyping import install_import_hook

# Read when the first computation starts, not at import.
os.environ.setdefault(
    "XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
)

# Decoded pictures of one run of the tests are nobody else's.
os.environ["PSEUDOCORE_CACHE"] = tempfile.mkdtemp(prefix="pseudocore-tests-")

install_import_hook("pseudocore", "beartype.beartype")

# Compiled programs are kept, so that a second run of the tests is mostly running them.
jax.config.update("jax_compilation_cache_dir", str(Path(__file__).parents[1] / ".xla_cache"))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.3)
