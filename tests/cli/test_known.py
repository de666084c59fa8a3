"""What a recipe may be made of is exported, and what is not is refused before a run is begun."""

import dataclasses
import importlib
import inspect
import pkgutil

import equinox as eqx
import pytest

import pseudocore
from pseudocore import datasets
from pseudocore.augment import Augment
from pseudocore.cli.options import check_readable, known
from pseudocore.data import View
from pseudocore.datasets import Dataset, Digits, Raw, Resize, Unwhitened, Whiten
from pseudocore.divergences import Divergence
from pseudocore.errors import UserError
from pseudocore.infer import Infer
from pseudocore.infer.mcmc import Units
from pseudocore.kernels import Kernel
from pseudocore.mass import Mass
from pseudocore.networks import Network
from pseudocore.networks.norm import Norm
from pseudocore.posterior import Spread
from pseudocore.prior import Prior
from pseudocore.progress import silent
from pseudocore.recipes import preset
from pseudocore.select import Select

ROLES = Dataset, Whiten, Resize, Network, Norm, Augment, Select, Divergence, Infer, Units, Spread
ROLES += Kernel, Prior, Mass, View


def below(role):
    """Every class of a role that the package has, its modules all imported."""
    for kind in role.__subclasses__():
        yield kind
        yield from below(kind)


@pytest.fixture(scope="module", autouse=True)
def everything():
    for module in pkgutil.walk_packages(pseudocore.__path__, "pseudocore."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.__name__)
def test_every_part_of_a_recipe_is_exported(role):
    """What is left out of `__init__.pyi` would make runs that no other verb can read."""
    home = ".".join(role.__module__.split(".")[:2])  # a study's own worlds lie elsewhere
    kinds = [kind for kind in below(role) if f"{kind.__module__}.".startswith(f"{home}.")]
    parts = {kind.__name__: kind for kind in kinds if not inspect.isabstract(kind)}
    assert parts
    assert {name: known().get(name) for name in parts} == parts


class Box(Dataset):
    """The digits, by a class that is not exported."""

    path: str = eqx.field(static=True, default="")
    held_out: float = eqx.field(static=True, default=0.185)
    seed: int = eqx.field(static=True, default=0)

    whiten: Whiten = Unwhitened()

    def read(self, say=silent) -> Raw:
        return Digits().read()


def test_a_recipe_that_would_not_read_back_is_refused():
    recipe = preset("digits/ipc1-fkl")
    check_readable(recipe)
    moved = dataclasses.replace(recipe.plan, data=Box())
    with pytest.raises(UserError, match=r"no type 'Box'.*Export .*__init__\.pyi"):
        check_readable(dataclasses.replace(recipe, plan=moved))


def test_no_run_is_begun_with_such_a_recipe(call, distill, refused, tmp_path, monkeypatch):
    monkeypatch.setitem(datasets.FORMS, "box:PATH", Box)
    out = tmp_path / "out"
    said = "no type 'Box'", "Export the class"
    refused(distill(out, "--data", "box:x"), *said)
    refused(call("experts", "digits", "--data", "box:x", "--out", out), *said)
    assert not out.exists()
