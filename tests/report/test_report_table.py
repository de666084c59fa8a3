import io

import pytest
from rich.console import Console
from rich.table import Table

from pseudocore.report.caption import caption
from pseudocore.report.cells import best_lines, body
from pseudocore.report.comparison import comparison
from pseudocore.report.metric import ACCURACY, NLL, short
from pseudocore.report.summary import summarise
from pseudocore.report.table import console_table, markdown_table


def printed(table: Table, width: int = 80) -> str:
    paper = io.StringIO()
    Console(width=width, file=paper, color_system=None).print(table)
    return paper.getvalue()


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.8951, ".895"), (1.1512, "1.151"), (-0.25, "-.250"), (0.9999, "1.000"), (10.5, "10.500")],
)
def test_short(value, text) -> None:
    assert short(value) == text


def test_the_console_table_says_value_and_standard_error(summaries) -> None:
    text = printed(console_table(summaries, "Digits"))
    assert "Digits" in text
    assert ".910 ± .010" in text
    assert "standard error over 2 chains" in " ".join(text.split())


def test_the_console_table_fits_80_columns_unbroken(rows) -> None:
    held = rows("Wasserstein", [0.8, 0.9], rhat=1.2) + rows("class means", [0.7, 0.8])
    lines = printed(console_table(summarise(held), "t")).splitlines()
    (line,) = [line for line in lines if "Wasserstein" in line]
    assert line.split()[1:4] == [".850", "±", ".050"]
    assert line.endswith("1.20 !")


def test_markup_in_a_name_stays_text(rows) -> None:
    assert "[red]x[/red]" in printed(console_table(summarise(rows("[red]x[/red]", [0.1])), "[b]t"))


def test_the_markdown_table(summaries) -> None:
    lines = markdown_table(summaries).splitlines()
    assert lines[0].startswith("| method | judge | accuracy ↑ | NLL ↓ |")
    assert lines[1].startswith("| :-- | :-- | --: |")
    assert "| fKL | HMC | **.910 ± .010** |" in lines[4]
    assert "| random | HMC | .550 ± .050 |" in lines[2]
    assert "full data: all images. ±" in lines[-1]


def test_a_bar_or_a_break_in_a_name_cannot_break_the_markdown(rows) -> None:
    lines = markdown_table(summarise(rows("a|b\nc", [0.1]))).splitlines()
    assert lines[2].startswith(r"| a\|b c | HMC |")


def test_mixed_protocols_are_refused_everywhere(rows) -> None:
    both = summarise(rows("a", [0.1]) + rows("a", [0.1], protocol="paper"))
    for make in (
        body,
        markdown_table,
        lambda s: console_table(s, "t"),
        lambda s: comparison(s, {}),
        caption,
    ):
        with pytest.raises(ValueError, match="one protocol"):
            make(both)


def test_best_is_best_or_within_one_standard_error_of_it(rows) -> None:
    held = [*rows("best", [0.8, 0.9]), *rows("near", [0.81, 0.81]), *rows("far", [0.79, 0.79])]
    # The best is .85 with a standard error of .05: .81 lies within it, .79 does not.
    assert best_lines(summarise(held), ACCURACY) == {0, 1}
    assert best_lines(summarise(held), NLL) == {0, 1}


def test_best_belongs_to_a_judge_and_a_line_alone_is_not_best(rows) -> None:
    held = summarise(
        [*rows("a", [0.9]), *rows("b", [0.8]), *rows("a", [0.99], judge="SGHMC")],
    )
    assert best_lines(held, ACCURACY) == {0}


@pytest.mark.parametrize(
    ("change", "marked"),
    [
        ({"rhat": 1.11}, ".80 1.11 !"),
        ({"rhat": 1.1}, ".80 1.10"),
        ({"rhat": float("nan")}, ".80 nan !"),
        ({"acceptance": 0.09}, ".09 ! 1.01"),
        ({"acceptance": 0.1}, ".10 1.01"),
        ({"acceptance": None, "rhat": None}, "– –"),
    ],
)
def test_chains_that_did_not_mix_are_marked(rows, change, marked) -> None:
    text = printed(console_table(summarise(rows("name", [0.5, 0.6], **change)), "t"))
    (line,) = [line for line in text.splitlines() if "name" in line]
    assert " ".join(line.split()).endswith(marked)


def test_columns_appear_where_the_lines_differ(rows) -> None:
    same = summarise(rows("a", [0.1]))
    assert body(same).headings[:2] == ("method", "accuracy ↑")
    mixed = summarise(rows("a", [0.1]) + rows("a", [0.1], ipc=10, weights="20"))
    assert body(mixed).headings[:3] == ("method", "ipc", "weights")


def test_published_columns_only_where_they_were_measured(rows) -> None:
    held = rows("a", [0.5, 0.6], protocol="paper", nll_published=1.2345, ece_published=0.05)
    text = markdown_table(summarise(held))
    assert "NLL published ↓" in text
    assert "1.234 ± .000" in text
    assert "published" not in markdown_table(summarise(rows("a", [0.5])))


def constructed(rows, method, count, chains=2, **changes):
    """Rows of several coresets of one method."""
    return [
        row
        for construction in range(count)
        for row in rows(method, [0.5 + construction / 10] * chains, construction=construction)
        for row in [row | changes]
    ]


def test_the_caption_says_what_each_error_is_over(rows) -> None:
    held = constructed(rows, "random", 5)
    for method in ("rKL", "W", "fKL"):
        held += constructed(rows, method, 3)
    for method in ("herding", "k-center", "class means"):
        held += rows(method, [0.5, 0.6])
    told = caption(summarise(held))
    assert (
        "± is the standard error over 5 subsets for random, 3 coresets for rKL, W and fKL, "
        "2 chains for the others." in told
    )
    few = caption(summarise([*constructed(rows, "random", 5), *rows("fKL", [0.5, 0.6])]))
    assert "over 5 subsets for random, 2 chains for fKL." in few


def test_the_caption_claims_no_error_where_there_is_none(rows) -> None:
    alone = summarise(rows("fKL", [0.5]))
    assert "Every line is of 1 chain, and so has no standard error." in caption(alone)
    assert "±" not in caption(alone)
    mixed = summarise([*constructed(rows, "random", 5, chains=1), *rows("fKL", [0.5])])
    assert "over 5 subsets for random; none for fKL, of 1 chain." in caption(mixed)


def test_the_caption_explains_the_highlight_where_there_is_one(rows) -> None:
    alone = summarise(rows("fKL", [0.5, 0.6]))
    several = summarise([*rows("fKL", [0.5, 0.6]), *rows("W", [0.7, 0.8])])
    assert "Highlighted" not in caption(alone)
    assert "Highlighted" in caption(several)
    assert "Highlighted" not in caption(several, marked=False)
    table = console_table(several, "t", marked=False)
    assert "Highlighted" not in printed(table)


def test_the_weights_of_the_full_data_are_said_where_they_are_not_one_each(rows) -> None:
    for weights, told in (("N/M", "all images."), ("20 (tempered)", "weights 20 (tempered).")):
        held = [*rows("fKL", [0.5]), *rows("full data", [0.9], ipc=None, weights=weights)]
        assert told in caption(summarise(held))


def test_points_that_are_no_images_are_not_called_so(rows) -> None:
    held = summarise([*rows("fKL", [0.5]), *rows("full data", [0.9], ipc=None)])
    told = caption(held, "points")
    assert "points per class: 1" in told
    assert "full data: all points" in told
    assert "image" not in markdown_table(held, "points")
