"""Wrong input: exit code 2, a message that names it and says what to do, and nothing written."""

import shutil

import numpy as np
import pytest

from pseudocore.recipes import presets
from pseudocore.store.coreset import read_coreset
from pseudocore.store.tensors import read_tensors


@pytest.fixture
def out(tmp_path):
    """A folder that wrong input must not make."""
    return tmp_path / "out"


def test_unknown_verb_suggests_the_nearest(call, refused):
    refused(call("distil"), "no verb 'distil'", "Did you mean 'distill'?")
    refused(call("--verbose"), "no verb '--verbose'")


@pytest.mark.parametrize("verb", ["experts", "distill"])
def test_unknown_recipe_suggests_the_nearest(call, refused, out, verb):
    told = call(verb, "digits/ipc1-fkll", "--out", out)
    refused(told, "no recipe 'digits/ipc1-fkll'", "Did you mean 'digits/ipc1-fkl'?")
    assert not out.exists()


def test_a_near_name_is_told_without_all_the_others(call, refused, out):
    for told in (
        call("distill", "digits/ipc1-fkll", "--out", out),
        call("distill", "digits/ipc1-fkl", "--plan.network", "MPL(8)", "--out", out),
    ):
        refused(told, "Did you mean")
        assert len(told.line) < 200


def test_distill_wants_a_recipe(call, refused, experts, out):
    for words in ((), ("--experts", experts, "--out", out)):
        refused(call("distill", *words), "Name a recipe", "digits/ipc1-fkl", "distill --help")
    assert not out.exists()


def test_a_field_that_is_not_there_is_told_with_those_that_are(distill, refused, out):
    told = distill(out, "--divergence", "ForwardKL(draw=3)")
    refused(told, "no ForwardKL field 'draw'. Did you mean 'draws'? Known: draws")
    assert not out.exists()


@pytest.fixture
def verbs(call, distill, run):
    """Every verb that writes, into a folder."""
    return {
        "experts": lambda out: call("experts", "digits", "--count", 1, "--epochs", 1, "--out", out),
        "distill": distill,
        "evaluate": lambda out: call("evaluate", run, "--seeds", 2, "--out", out),
        "compare": lambda out: call("compare", run, "--seeds", 2, "--out", out),
        "demo": lambda out: call("demo", "--out", out),
    }


@pytest.mark.parametrize("verb", ["experts", "distill", "evaluate", "compare", "demo"])
def test_a_folder_that_cannot_be_made_is_named(verbs, refused, tmp_path, verb):
    long = tmp_path / ("x" * 300)
    refused(verbs[verb](long), "File name too long", "Choose a shorter one")
    refused(verbs[verb]("/proc/xx"), "Cannot write /proc/xx/recipe.json", "another --out")
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    said = f"{tmp_path}/link, a link to {tmp_path}/gone, which is not there, is in the way"
    refused(verbs[verb](tmp_path / "link"), said, "another --out")


def test_a_folder_whose_name_is_too_long_cannot_be_read(call, distill, refused, tmp_path, out):
    long = tmp_path / ("x" * 300)
    refused(call("evaluate", long), "xxx")
    refused(call("compare", long, "--out", out), "xxx")
    refused(distill(out, of=long), "xxx")
    assert not out.exists()


def test_unknown_dataset_suggests_the_nearest(call, refused, distill, out):
    said = "no dataset 'digitz'", "Did you mean 'digits'?", "FILE.npz"
    refused(call("experts", "digits", "--data", "digitz", "--out", out), *said)
    refused(distill(out, "--data", "digitz"), *said)
    assert not out.exists()


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("--nonsense 3", "--nonsense"),
        ("--steps many", "'many'"),
        ("--ipc 0", "ipc=0 must be at least 1"),
        ("--ipc -2", "ipc=-2 must be at least 1"),
        ("--ipc 107", "ipc 107 is more than the 106 points of class 8"),
        ("--steps 0", "steps=0 must be at least 1"),
        ("--starts 0", "starts=0 must be at least 1"),
        ("--ahead 0", "ahead=0 must be at least 1"),
        ("--batch 0", "batch=0 must be at least 1"),
        ("--infer.steps 0", "infer.steps=0 must be at least 1"),
        ("--infer.rate 0", "infer.rate=0.0 must be above 0"),
        ("--divergence.draws 0", "divergence.draws=0 must be at least 1"),
        ("--seed -1", "seed=-1 must be at least 0"),
        ("--seed 4294967296", "seed=4294967296 must be at least 0 and below 4294967296"),
        ("--optimiser.images nan", "optimiser.images is nan; give a finite number"),
        ("--optimiser.images -1", "optimiser.images=-1.0 must be at least 0"),
        ("--optimiser.momentum 1", "optimiser.momentum=1.0 must be below 1"),
        ("--plan.count 0", "count=0 must be at least 1"),
        ("--plan.epochs -1", "epochs=-1 must be at least 1"),
        ("--plan.seed -1", "seed=-1 must be at least 0"),
        ("--plan.network.width 0", "width=0"),
        ("--plan.training.batch 0", "training.batch=0 must be at least 1"),
        ("--plan.training.rate -0.1", "training.rate=-0.1 must be above 0"),
        ("--plan.data.held-out 1.5", "held_out=1.5 must be a fraction"),
        ("--plan.data.seed -1", "seed=-1 must be at least 0"),
        ("--judges.0.chain.burn 8", "hmc keeps 0 draws a chain"),
        ("--judges.0.chain.burn -1", "chain.burn=-1 must be at least 0"),
        ("--judges.1.chain.kernel.leapfrogs 0", "leapfrogs=0 must be at least 1"),
        ("--judges.1.chain.kernel.step-size 0", "step_size=0.0 must be above 0"),
        ("--judges.1.chain.kernel.friction 1.5", "friction=1.5): choose friction from 0.0 to 1.0"),
        ("--judges.1.chain.kernel.temperature -1", "temperature=-1.0): choose temperature"),
        ("--divergence ReverseKL(draws=1)", "divergence.draws=1 must be at least 2"),
        ("--judges.0.view Batching(5)", "the accept test of HMC needs the same"),
        ("--judges.0.view Batching(0)", "view.size=0 must be at least 1"),
        ("--judges.0.mass Tempered(-1)", "mass.weight=-1.0 must be above 0"),
        ("--judges.0.prior Isotropic(0)", "prior.s=0.0 must be above 0"),
        ("--judges.0.prior.gain -1", "prior.gain=-1.0 must be above 0"),
        ("--judges.1.name hmc", "2 textbook judges are called 'hmc'"),
    ],
)
def test_values_out_of_range_are_named_before_anything_is_written(
    distill, refused, out, flags, said
):
    refused(distill(out, *flags.split()), said)
    assert not out.exists()


def test_the_largest_ipc_is_the_size_of_the_smallest_class(distill, out):
    assert distill(out, "--ipc", 106, "--steps", 1).code == 0
    assert len(read_coreset(out / "pseudocoreset.safetensors")) == 1060


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("--count 0", "count=0"),
        ("--epochs 0", "epochs=0"),
        ("--together 0", "together=0"),
        ("--seed -1", "seed=-1"),
        ("--network.depth 0", "depth=0"),
        ("--training.rate nan", "training.rate=nan"),
        ("--data.held-out 0.999", "held_out=0.999 leaves none"),
    ],
)
def test_experts_refuse_the_same(call, refused, out, flags, said):
    refused(call("experts", "digits", "--out", out, *flags.split()), said)
    assert not out.exists()


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("--ipc 0", "--ipc 0 must be at least 1"),
        ("--ipc 500", "ipc 500 is more than the 106 points of class 8"),
        ("--constructions 0", "--constructions 0 must be at least 1"),
        ("--seeds 0", "--seeds 0 must be at least 1"),
        ("--seed -1", "seed=-1 must be at least 0"),
        ("--seed 4294967295", "seed=4294967297 must be at least 0 and below 4294967296"),
        ("--network mpl", "--network mpl is unknown: give mlp or convnet"),
    ],
)
def test_demo_refuses_the_same(call, refused, out, flags, said):
    refused(call("demo", "--out", out, *flags.split()), said)
    assert not out.exists()


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("--seeds 0", "--seeds 0 leaves no chain: give 1 or more"),
        ("--seeds -2", "--seeds -2"),
        ("--seed -1", "--seed -1 is no seed"),
        ("--seed 4294967295", "--seed 4294967295 is no seed"),
        ("--protocol papr", "no protocol 'papr'. Did you mean 'paper'?"),
        ("--protocol=txtbook", "no protocol 'txtbook'. Did you mean 'textbook'?"),
        ("--judges.0.chain.iterations 4", "keeps 0 draws"),
        ("--judges.0.chain.kernel.step-size nan", "step_size=nan"),
        ("--judges.7.chain.burn 1", "--judges.7.chain.burn"),
        ("--judges.0.view Batching(5)", "the accept test of HMC needs the same"),
        ("--judges.0.view=Augmenting(Crop())", "the accept test of HMC needs the same"),
        ("--judges.1.chain.kernel.temperature -1", "temperature=-1.0): choose temperature"),
        ("--judges.1.name hmc", "2 textbook judges are called 'hmc'"),
    ],
)
def test_evaluate_refuses_and_leaves_the_run_as_it_was(call, refused, content, run, flags, said):
    before = content(run)
    refused(call("evaluate", run, *flags.split()), said)
    assert content(run) == before


def test_evaluate_needs_a_run(call, refused, experts, tmp_path):
    refused(call("evaluate"), "Name the folder of a run")
    refused(call("evaluate", "--seeds", 2), "Name the folder of a run")
    refused(call("evaluate", tmp_path / "none"), "There is no folder", "none")
    refused(call("evaluate", tmp_path), "recipe.json is missing", "left as it is")
    refused(call("evaluate", experts), "is not the run of a coreset", "pseudocore distill")


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--seeds", 0), "--seeds 0 leaves no chain"),
        (("--seed", -1), "seed=-1 must be at least 0"),
        (("--protocol", "papr"), "Did you mean 'paper'?"),
        (
            ("--protocol", "paper", "--baselines", "full data"),
            "under the textbook protocol only, and protocols share no table: leave 'full data' out",
        ),
        (("--baselines", "randm"), "no baseline 'randm'. Did you mean 'random'?"),
        (("--baselines", "herding"), "with --experts"),
        (("--baselines", "k-center"), "with --experts"),
        (("--baselines", "herding", "--experts", "none"), "There is no folder of experts none"),
    ],
)
def test_compare_refuses_before_anything_is_written(call, refused, run, out, flags, said):
    refused(call("compare", run, "--out", out, *flags), said)
    assert not out.exists()


def test_compare_needs_runs_that_are_alike(call, refused, distill, run, experts, tmp_path, out):
    refused(call("compare", "--out", out), "Name the folders of one run or more")
    refused(call("compare", run, experts, "--out", out), "is not the run of a coreset")
    two = tmp_path / "two"
    assert distill(two, "--ipc", 2).code == 0
    refused(call("compare", run, two, "--out", out), f"{run} has ipc 1, {two} has 2")

    others = tmp_path / "others"
    flags = ["--count", "2", "--epochs", "4", "--network.width", "8", "--data.held-out", "0.3"]
    assert call("experts", "digits", *flags, "--out", others).code == 0
    elsewhere = tmp_path / "elsewhere"
    assert distill(elsewhere, "--plan.data.held-out", 0.3, of=others).code == 0
    refused(call("compare", run, elsewhere, "--out", out), "has data", "held_out=0.3")
    assert not out.exists()


def test_compare_needs_finished_runs_and_fitting_experts(
    call, refused, distill, run, tmp_path, out
):
    half = tmp_path / "half"
    shutil.copytree(run, half)
    (half / "pseudocoreset.safetensors").unlink()
    refused(call("compare", half, "--out", out), "is not finished", "--resume")
    refused(call("evaluate", half), "is not finished", "--resume")

    wide = tmp_path / "wide"
    flags = ["--count", "1", "--epochs", "4", "--network.width", "9"]
    assert call("experts", "digits", *flags, "--out", wide).code == 0
    words = "--baselines", "herding", "--experts", wide
    refused(call("compare", run, "--out", out, *words), "have 685 parameters, this network 610")
    assert not out.exists()


def test_folder_of_another_recipe_is_refused_and_kept(call, distill, refused, content, run):
    before = content(run)
    said = "holds the run of another recipe", "recipe.steps: 6 -> 7", "choose another --out"
    refused(distill(run, "--steps", 7), *said)
    refused(distill(run, "--steps", 7, "--resume"), *said)
    refused(distill(run), "already holds this run: continue it with --resume")
    refused(call("experts", "digits", "--out", run), "holds the run of another recipe")
    refused(call("demo", "--out", run), "holds the run of another recipe")
    assert content(run) == before


@pytest.mark.parametrize("resume", [(), ("--resume",)])
def test_foreign_folder_is_refused_and_kept(call, distill, refused, content, run, tmp_path, resume):
    (tmp_path / "notes.txt").write_text("mine")
    said = "no run's folder, and is left as it is", "choose another --out"
    refused(distill(tmp_path, *resume), *said)
    refused(call("experts", "digits", "--out", tmp_path, *resume), *said)
    refused(call("demo", "--out", tmp_path, *resume), *said)
    refused(call("evaluate", run, "--out", tmp_path, *resume), *said)
    refused(call("compare", run, "--out", tmp_path, *resume), *said)
    assert content(tmp_path) == {"notes.txt": b"mine"}


def test_file_in_place_of_a_folder_is_refused(call, distill, refused, run, tmp_path):
    (tmp_path / "file").write_text("mine")
    for out in (tmp_path / "file", tmp_path / "file" / "below"):
        refused(distill(out), "is in the way")
        refused(call("experts", "digits", "--out", out), "is in the way")
    assert (tmp_path / "file").read_text() == "mine"


def test_a_step_that_turns_non_finite_stops_with_the_last_good_state(
    distill, refused, content, out
):
    told = distill(out, "--optimiser.images", "1e30")
    assert "held-out" in told.err  # progress was told before it went wrong
    refused(
        told,
        "Step 2 turned non-finite",
        "lower the optimiser's rates",
        "images=1e+30",
        "The last good state, step 1, is kept in",
    )
    assert "pseudocoreset.safetensors" not in content(out)
    names = [f"{i:03d}" for i in range(6)]
    state, _ = read_tensors(out / "state.safetensors", names)
    assert 1 in [int(a) for a in state.values() if a.dtype.kind == "i" and a.ndim == 0]
    assert all(np.isfinite(array).all() for array in state.values())
    again = distill(out, "--optimiser.images", "1e30", "--resume")
    refused(again, "Step 2 turned non-finite")  # it goes on from the state, and says so again
    assert len(content(out)["metrics.jsonl"].splitlines()) == 1


def test_expert_training_that_turns_non_finite_says_so(call, refused, out):
    words = ["--count", "1", "--epochs", "2", "--network.width", "8", "--training.rate", "1e30"]
    told = call("experts", "digits", *words, "--out", out)
    refused(told, "non-finite in epoch 1", "lower --training.rate (now 1e+30)")
    assert not (out / "index.json").exists()


def test_unknown_recipes_are_not_among_the_known(call, refused):
    told = call("distill", "nothing-like-it")
    refused(told, *presets())
