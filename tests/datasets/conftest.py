"""What is slow to lay out is laid out once."""

import pytest
from tests.datasets import made


@pytest.fixture(scope="session")
def imagenette(tmp_path_factory):
    """The folder of a whole ImageNette, all of whose pictures are one."""
    return made.imagenette(tmp_path_factory.mktemp("imagenette"))
