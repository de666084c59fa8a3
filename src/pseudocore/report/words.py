"""The page's explanations in plain words, in one place, so that a table and its key agree.

`spoken` says them of images or of points that are none.
"""

from typing import Any

KINDS = {
    "images": {"points": "images", "point": "image", "numbers": "pixels"},
    "points": {"points": "points", "point": "point", "numbers": "features"},
}


def spoken(texts: Any, points: str, **more: str) -> Any:
    """The text, or every text in a tuple, of these points."""
    if isinstance(texts, str):
        return texts.format(**KINDS[points], **more)
    return tuple(spoken(text, points, **more) for text in texts)


WHAT = (
    "Bayesian learning does not end with one network but with a whole cloud of networks that the "
    "data makes plausible: the posterior. A pseudocoreset is a handful of made-up, labelled "
    "{points} whose cloud stands in for the cloud of the entire dataset.",
    "They record nothing that ever was. Each starts as a real {point}, and its {numbers} are then "
    "moved, step by step, until networks that learn from these few {points} alone land where "
    "networks that learned from everything landed. What “land where” means is the divergence, and "
    "each divergence is a method below.",
)

PICTURES = (
    "The pictures.",
    "Learned images need not be prettier than the real ones they began as. What counts is what "
    "they teach.",
)

LOOK = (
    (
        "The distance to class means.",
        "Averaging all {points} of a class costs nothing and is often hard to beat. A learned "
        "coreset has earned its keep where its dot lies beyond that one.",
    ),
    (
        "The whiskers and the exclamation marks.",
        "Two dots whose whiskers overlap are not told apart. A row marked '!' comes from chains "
        "that did not agree or hardly moved: read it with care.",
    ),
)

JUDGE = (
    "The judge is shown the coreset and nothing else. It draws networks from the posterior that "
    "the coreset implies, averages their predicted probabilities, and is marked on real test "
    "{points} that took no part in learning.",
)

JUDGES = {
    "hmc": (
        "HMC",
        "Hamiltonian Monte Carlo. It rolls through the space of networks like a ball over a "
        "landscape, and a Metropolis test decides about every move. Slow and trustworthy.",
    ),
    "sghmc": (
        "SGHMC",
        "The stochastic cousin of HMC, with friction and noise in place of the test. It can work "
        "from batches, which makes the full data affordable.",
    ),
    "a-sghmc": (
        "A-SGHMC",
        "The stochastic cousin of HMC, with friction and noise in place of the test, that sees the "
        "coreset {seen}.",
    ),
}

# How a judge sees the coreset, and what becomes of an image under each operation.
AFRESH, AS_IS = "augmented afresh at every step", "as it is, for nothing augments it here"
CHANGES = {
    "Color": "recoloured",
    "Crop": "shifted",
    "Cutout": "partly covered",
    "Flip": "mirrored",
    "Rotate": "turned",
    "Scale": "resized",
}

COLUMNS = (
    (
        "accuracy ↑",
        "The share of test {points} whose class is guessed right. Higher is better.",
    ),
    (
        "NLL ↓",
        "Negative log-likelihood: the mean surprise at the true class, in nats. Guessing evenly "
        "among ten classes costs 2.303, and confident mistakes cost most.",
    ),
    (
        "ECE ↓",
        "Expected calibration error: the gap between how sure the judge says it is and how often "
        "it is right, averaged over bins of confidence.",
    ),
    (
        "Brier ↓",
        "The squared distance between the predicted probabilities and the truth, from 0 to 2.",
    ),
    (
        "accept",
        "The share of moves that passed the Metropolis test. Near 0 the chain stands still."
        " A dash: the judge has no such test.",
    ),
    (
        "R-hat",
        "Compares chains that started apart. At 1.00 they tell the same story; above 1.1 they "
        "have not met.",
    ),
    (
        "weights",
        "How much each counts. With N/M, the M of the coreset together weigh as much as the N real "
        "{points} they stand for; with 1, each counts as one {point}; anything between is a "
        "tempered posterior.",
    ),
)

PUBLISHED = (
    (
        "NLL, ECE published",
        "The same two computed batch by batch, as the paper's numbers were. Compare them only "
        "with the paper's.",
    ),
)

PROTOCOLS = {
    "textbook": "A correct Metropolis test, a Gaussian prior, and metrics pooled over the whole "
    "test set.",
    "paper": "The evaluation exactly as the paper's authors published it, quirks included, for "
    "comparison with the paper's tables and with nothing else.",
}

CALIBRATION = (
    "A dot on the diagonal keeps its word: of the {points} it called with 80 % confidence, 80 % "
    "were right. Below the line it is too sure, above it too modest. Larger dots hold more test "
    "{points}."
)

LEARNING = (
    "Scores on {points} held out from the training set, while the coreset was learned. Losses of "
    "different divergences share no unit, so each has its own scale."
)

RING = "A ring marks the step that was kept."

FIRST = "Where a method has several coresets, the first is shown."

TWO_ERRORS = (
    "“Level” means within two combined standard errors. No correction is made for the number of "
    "comparisons."
)
