"""One outer step of forward KL: ours against the same step in plain PyTorch, one thread each.

python benchmarks/torch_step.py [--rounds 30] [--stretch 50] [--json FILE]

Both do the whole of Algorithm BPC-fKL's loop: L_u full-batch SGD steps on the mean cross-entropy
from a remembered expert epoch, S noisy draws of student and expert, the gradient in u, SGD with
momentum. Before anything is timed, a run without noise must move u to the same place in both. The
two are timed in turns, so that whatever else the machine does slows both.
"""

import os

# One thread each, and no GPU: read when the libraries start.
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["JAX_PLATFORMS"] = "cpu"
if hasattr(os, "sched_setaffinity"):
    # XLA overlaps independent operations on more threads than these flags govern.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

import argparse
import dataclasses
import json
import platform
import time
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.random as jr
import numpy as np

import pseudocore as pc
from pseudocore.learn import State, advance

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    raise SystemExit("This compares with PyTorch, which is not here: pip install torch") from None

RECIPES = {"MLP(64)": "digits/ipc1-fkl", "ConvNet(2, 16)": "digits-convnet/ipc1-fkl"}
EXPERTS = 3


class World(eqx.Module):
    """A recipe with its experts and first coreset: what both sides start from."""

    recipe: pc.Recipe
    model: pc.Model
    paths: jax.Array
    u: pc.Data

    @classmethod
    def of(cls, recipe: pc.Recipe) -> "World":
        plan, train = recipe.plan, recipe.plan.data.load().train
        model = pc.Model.of(plan.network, train)
        key = jr.key(0)
        paths = pc.train_experts(key, model, train, plan.training, EXPERTS, recipe.window)
        return cls(
            recipe, model, paths, pc.RandomSubset()(key, train, pc.pixels(train), recipe.ipc)
        )

    def without_noise(self) -> "World":
        """One expert, one start, deviations of zero: nothing is random."""
        still = pc.Fixed(0.0)
        infer = dataclasses.replace(self.recipe.infer, spread=still)
        recipe = dataclasses.replace(self.recipe, starts=1, spread=still, infer=infer)
        return World(recipe, self.model, self.paths[:1], self.u)


class Ours:
    """The compiled loop, called for so many steps at a time."""

    def __init__(self, world: World):
        recipe, train = world.recipe, world.u
        expert = pc.Expert(world.paths, recipe.starts, recipe.ahead, recipe.spread)
        self.problem = pc.Problem(world.model, expert, train)
        self.learner = pc.Learner(recipe.divergence, recipe.optimiser.build(), recipe.augment)
        self.state: State = self.learner.init(world.u, recipe.infer)

    def steps(self, count: int) -> None:
        until = self.state.step + count
        stretch = advance(self.learner, jr.key(0), self.problem, self.state, until, count)
        self.state = jax.block_until_ready(stretch).state

    @property
    def u(self) -> np.ndarray:
        return np.asarray(self.state.learned.u.x)


class Torch:
    """The same step, line by line, in eager mode."""

    def __init__(self, world: World):
        self.recipe = world.recipe
        self.sigma = world.recipe.spread.s
        self.paths = [[to_torch(world.model, theta) for theta in path] for path in world.paths]
        self.logits = LOGITS[type(world.model.network)]
        images = np.moveaxis(np.asarray(world.u.x), -1, 1).copy()
        self.images = torch.from_numpy(images).requires_grad_()
        self.labels = torch.from_numpy(np.array(world.u.y))
        sgd = world.recipe.optimiser
        self.optimiser = torch.optim.SGD([self.images], sgd.images, sgd.momentum)

    def loss(self, theta: list, images: Any) -> Any:
        return F.cross_entropy(self.logits(theta, images), self.labels)

    def noisy(self, theta: list) -> list:
        return [leaf + self.sigma * torch.randn_like(leaf) for leaf in theta]

    def step(self) -> None:
        recipe = self.recipe
        path = self.paths[int(torch.randint(len(self.paths), ()))]
        epoch = int(torch.randint(recipe.starts, ()))
        student, expert = path[epoch], path[epoch + recipe.ahead]
        images = self.images.detach()
        for _ in range(recipe.infer.steps):
            student = [leaf.detach().requires_grad_() for leaf in student]
            slopes = torch.autograd.grad(self.loss(student, images), student)
            student = [a - recipe.infer.rate * b for a, b in zip(student, slopes, strict=True)]
        student = [leaf.detach() for leaf in student]
        total = torch.zeros(())
        for _ in range(recipe.divergence.draws):
            of_expert = self.loss(self.noisy(expert), self.images)
            total = total + of_expert - self.loss(self.noisy(student), self.images)
        self.optimiser.zero_grad()
        (total / recipe.divergence.draws).backward()
        self.optimiser.step()

    def steps(self, count: int) -> None:
        for _ in range(count):
            self.step()

    @property
    def u(self) -> np.ndarray:
        return np.moveaxis(self.images.detach().numpy(), 1, -1)


def mlp_logits(theta: list, images: Any) -> Any:
    hidden = images.flatten(1)
    for weight, bias in zip(theta[:-2:2], theta[1:-2:2], strict=True):
        hidden = F.relu(F.linear(hidden, weight, bias))
    return F.linear(hidden, *theta[-2:])


def convnet_logits(theta: list, images: Any) -> Any:
    maps = images
    for i in range(0, len(theta) - 2, 4):
        weight, bias, scale, shift = theta[i : i + 4]
        maps = F.conv2d(maps, weight, bias, padding=1)
        maps = F.avg_pool2d(F.relu(F.group_norm(maps, len(scale), scale, shift)), 2)
    return F.linear(maps.flatten(1), *theta[-2:])


LOGITS = {pc.MLP: mlp_logits, pc.ConvNet: convnet_logits}


def to_torch(model: pc.Model, theta: jax.Array) -> list:
    """Our flat vector as PyTorch's tensors, in PyTorch's order of axes."""
    params = jax.tree.map(np.asarray, model.layout.unravel(theta))
    if isinstance(model.network, pc.MLP):
        leaves = [leaf for layer in params for leaf in (layer["weight"].T, layer["bias"])]
    else:
        leaves = []
        for block in params["blocks"]:
            leaves += [np.transpose(block["weight"], (3, 2, 0, 1)), block["bias"]]
            leaves += [block["norm"]["scale"], block["norm"]["shift"]]
        high, wide = model.network.final_side(model.shape)
        head = params["head"]["weight"].reshape(high, wide, -1, model.classes)
        leaves += [np.transpose(head, (3, 2, 0, 1)).reshape(model.classes, -1)]
        leaves += [params["head"]["bias"]]
    return [torch.from_numpy(np.array(leaf)) for leaf in leaves]


def disagreement(world: World, steps: int = 3) -> float:
    """How far apart the two are after a few steps without noise, over how far they went."""
    world = world.without_noise()
    ours, theirs = Ours(world), Torch(world)
    ours.steps(steps)
    theirs.steps(steps)
    apart, moved = np.abs(ours.u - theirs.u).max(), np.abs(ours.u - np.asarray(world.u.x)).max()
    return float(apart / moved)


def seconds(steps: Callable[[int], None], count: int) -> float:
    """Seconds a step, in a call of so many."""
    began = time.perf_counter()
    steps(count)
    return (time.perf_counter() - began) / count


def measure(name: str, recipe: str, rounds: int, stretch: int) -> dict[str, Any]:
    world = World.of(pc.preset(recipe))
    apart = disagreement(world)
    if not apart < 1e-3:
        raise SystemExit(f"{name}: the two sides compute different steps ({apart:.1e} apart).")
    ours, theirs = Ours(world), Torch(world)
    ways = {
        "PyTorch": lambda: seconds(theirs.steps, 1),
        "ours, a call a step": lambda: seconds(ours.steps, 1),
        f"ours, {stretch} steps a call": lambda: seconds(ours.steps, stretch),
    }
    for way in list(ways.values()) * 3:  # warm: caches filled, programs compiled
        way()
    taken: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way, once in ways.items():
            taken[way].append(1e3 * once())
    quartiles = {way: np.percentile(times, [25, 50, 75]).tolist() for way, times in taken.items()}
    base = quartiles["PyTorch"][1]
    return {
        "network": name,
        "recipe": recipe,
        "disagreement": apart,
        "rounds": rounds,
        "milliseconds": quartiles,  # of one outer step: lower quartile, median, upper quartile
        "ratio": {way: base / middle for way, (_, middle, _) in quartiles.items()},
    }


def table(result: dict[str, Any]) -> str:
    lines = [f"{result['network']} ({result['recipe']}), ms an outer step over {result['rounds']}:"]
    lines.append(f"  {'':24}{'median':>9}{'quartiles':>19}{'ratio':>8}")
    for way, (low, middle, high) in result["milliseconds"].items():
        spread = f"{low:.2f} - {high:.2f}"
        lines.append(f"  {way:24}{middle:9.2f}{spread:>19}{result['ratio'][way]:7.1f}x")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=30, help="timings of each way")
    parser.add_argument("--stretch", type=int, default=50, help="steps in one call of ours")
    parser.add_argument("--json", help="where to write the figures")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    results = []
    for name, recipe in RECIPES.items():
        results.append(measure(name, recipe, options.rounds, options.stretch))
        print(table(results[-1]), flush=True)
    versions = {"python": platform.python_version(), "jax": jax.__version__}
    versions |= {"torch": torch.__version__, "machine": platform.machine()}
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"versions": versions, "threads": 1, "results": results}, file, indent=2)


if __name__ == "__main__":
    main()
