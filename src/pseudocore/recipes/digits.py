"""Recipes for the embedded digits: seconds on a laptop.

The rates and steps are the best held-out NLL of benchmarks/choose_digits.py for the MLP. Those of
w-diagonal are taken over from w: its own grid, there too, has not been run.
"""

from pseudocore.augment import DSA, Crop, Rotate, Scale
from pseudocore.datasets.digits import Digits
from pseudocore.divergences import (
    L2,
    DiagonalWasserstein,
    Divergence,
    ForwardKL,
    LayerCosine,
    ReverseKL,
    Wasserstein,
)
from pseudocore.evaluate import Judge
from pseudocore.infer import Unroll
from pseudocore.kernels import HMC, SGHMC
from pseudocore.mass import FullMass, Tempered
from pseudocore.networks import MLP, ConvNet
from pseudocore.optimise import OuterSGD
from pseudocore.posterior import AlongPath, Fixed, Spread
from pseudocore.prior import FanIn, Isotropic
from pseudocore.recipes.base import ExpertPlan, Recipe
from pseudocore.recipes.judges import full_data_sghmc, textbook_asghmc, textbook_hmc
from pseudocore.train import Training

# A mirrored digit is another sign, so there are no flips; colours there are none.
GENTLE = DSA((Crop(), Scale(), Rotate()))

ISOTROPIC = Fixed(0.01)

MLP_EXPERTS = ExpertPlan(Digits(), MLP(64), Training(0.05, 32), count=10, epochs=20)
CONVNET_EXPERTS = ExpertPlan(Digits(), ConvNet(2, 16), Training(0.05, 32), count=10, epochs=20)

MLP_JUDGES = (
    textbook_hmc(HMC(0.04, 25), (200, 100), FanIn(1.5), FullMass()),
    textbook_asghmc(SGHMC(0.02, 10, 0.05), (200, 100), FanIn(1.5), FullMass(), GENTLE),
)
CONVNET_JUDGES = (
    textbook_hmc(HMC(0.02, 30), (150, 75), Isotropic(1.0), Tempered(20.0)),
    textbook_asghmc(SGHMC(0.02, 30, 0.05), (150, 75), Isotropic(1.0), Tempered(20.0), GENTLE),
)
FULL_DATA = full_data_sghmc(SGHMC(0.02, 20, 0.05), (200, 100), FanIn(1.5), 256)


def forward_kl(plan: ExpertPlan, judges: tuple[Judge, ...], ipc: int) -> Recipe:
    sgd = OuterSGD(images=3.0)
    return recipe(plan, judges, ipc, ForwardKL(draws=10), sgd, steps=1000, ahead=1)


def wasserstein(plan: ExpertPlan, judges: tuple[Judge, ...], ipc: int) -> Recipe:
    sgd = OuterSGD(images=3.0, rate=1e-4)
    return recipe(plan, judges, ipc, Wasserstein(), sgd, steps=500, ahead=2)


def diagonal(plan: ExpertPlan, judges: tuple[Judge, ...], ipc: int) -> Recipe:
    sgd, spread = OuterSGD(images=3.0, rate=1e-4), AlongPath()
    return recipe(plan, judges, ipc, DiagonalWasserstein(), sgd, steps=500, ahead=2, spread=spread)


def reverse_kl(plan: ExpertPlan, judges: tuple[Judge, ...], ipc: int) -> Recipe:
    sgd = OuterSGD(images=1e4, momentum=0.0)
    return recipe(plan, judges, ipc, ReverseKL(draws=10), sgd, steps=3000, ahead=1)


def gradient_l2(plan: ExpertPlan, judges: tuple[Judge, ...], ipc: int) -> Recipe:
    sgd = OuterSGD(images=3.0)
    return recipe(plan, judges, ipc, L2(), sgd, steps=1000, ahead=1)


def gradient_cosine(plan: ExpertPlan, judges: tuple[Judge, ...], ipc: int) -> Recipe:
    sgd = OuterSGD(images=0.03)
    return recipe(plan, judges, ipc, LayerCosine(), sgd, steps=1000, ahead=1)


def recipe(
    plan: ExpertPlan,
    judges: tuple[Judge, ...],
    ipc: int,
    divergence: Divergence,
    optimiser: OuterSGD,
    steps: int,
    ahead: int,
    spread: Spread = ISOTROPIC,
) -> Recipe:
    """What all methods have in common."""
    return Recipe(
        plan,
        divergence,
        Unroll(steps=20, rate=0.05, spread=spread),
        optimiser,
        judges,
        FULL_DATA,
        ipc=ipc,
        steps=steps,
        starts=3,
        ahead=ahead,
        spread=spread,
        batch=256,
    )


METHODS = {
    "fkl": forward_kl,
    "w": wasserstein,
    "w-diagonal": diagonal,
    "rkl": reverse_kl,
    "gm-l2": gradient_l2,
    "gm-cosine": gradient_cosine,
}
FAMILIES = {
    "digits": (MLP_EXPERTS, MLP_JUDGES),
    "digits-convnet": (CONVNET_EXPERTS, CONVNET_JUDGES),
}


def recipes() -> dict[str, Recipe]:
    """digits/ipc1-fkl, digits-convnet/ipc10-rkl, ..."""
    return {
        f"{family}/ipc{ipc}-{name}": method(experts, judges, ipc)
        for family, (experts, judges) in FAMILIES.items()
        for ipc in (1, 10)
        for name, method in METHODS.items()
    }
