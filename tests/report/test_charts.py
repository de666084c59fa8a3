import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from pseudocore.report.axes import brief, colours, number, scale, ticks
from pseudocore.report.comparison import comparison
from pseudocore.report.curves import apart, learning_curves
from pseudocore.report.figure import save_learning_curves
from pseudocore.report.markup import Html, element
from pseudocore.report.reliability import Bins, reliability
from pseudocore.report.summary import summarise

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>alert(1)</script>\"'&"
CURVES = {
    "rKL": [
        {"step": 0, "held_out_acc": 0.5, "held_out_nll": 2.0, "loss": 0.1},
        {"step": 50, "held_out_acc": None, "held_out_nll": float("nan"), "loss": -0.2},
        {"step": 100, "held_out_acc": 0.75, "held_out_nll": 1.0, "loss": 0.05},
    ],
    HOSTILE: [{"step": 0, "held_out_acc": 0.6, "held_out_nll": 1.5}],
}


def parsed(chart: str) -> ElementTree.Element:
    """The SVG, which names and describes itself and holds only finite numbers."""
    root = ElementTree.fromstring(chart)
    assert root.tag == f"{SVG}svg"
    assert [child.tag for child in root][:2] == [f"{SVG}title", f"{SVG}desc"]
    assert root.get("role") == "img"
    assert "nan" not in re.sub(r"<(title|desc|text).*?</\1>", "", chart)
    assert not list(root.iter(f"{SVG}script"))
    return root


def test_learning_curves_draw_what_was_recorded() -> None:
    panels = [parsed(chart) for chart in learning_curves(CURVES, {"rKL": 100})]
    assert [p[0].text for p in panels] == [
        "Held-out accuracy",
        "Held-out NLL",
        "Loss of rKL, its own scale",
    ]
    description = panels[0][1].text or ""
    assert "rKL: .5 at step 0, .75 at step 100" in description
    paths = [path.get("d", "") for path in panels[0].iter(f"{SVG}path")]
    assert [path.count(",") for path in paths] == [2, 1]
    # The higher accuracy stands higher, where y is smaller.
    first, last = (float(pair.split(",")[1]) for pair in paths[0][1:].split(" L"))
    assert last < first


def test_the_kept_step_has_a_ring() -> None:
    rings = [chart.count('r="6"') for chart in learning_curves(CURVES, {"rKL": 100})]
    assert rings == [1, 1, 0]
    assert all('r="6"' not in chart for chart in learning_curves(CURVES))


def test_the_png_says_what_is_noted(tmp_path) -> None:
    for name, note in (("plain", ""), ("noted", "The first is shown.")):
        save_learning_curves(tmp_path / name, CURVES, note=note)
    assert (tmp_path / "plain").read_bytes() != (tmp_path / "noted").read_bytes()


def test_curves_without_anything_recorded_are_still_a_chart() -> None:
    assert [parsed(chart)[1].text for chart in learning_curves({"a": []})] == [
        "Nothing was recorded."
    ] * 2


def test_comparison_places_dots_and_whiskers(summaries) -> None:
    accuracy, nll = (parsed(chart) for chart in comparison(summaries, {"fKL": "#123456"}))
    told = accuracy[1].text or ""
    assert "fKL, HMC: .910 ± .010" in told
    assert "full data, SGHMC: .955 ± .005" in told
    assert "NLL" in (nll[0].text or "")
    places = [float(dot.get("cx", "nan")) for dot in accuracy.iter(f"{SVG}circle")][1:]
    assert places == sorted(places)
    places = [float(dot.get("cx", "nan")) for dot in nll.iter(f"{SVG}circle")][1:]
    assert places == sorted(places, reverse=True)
    assert "#123456" in ElementTree.tostring(accuracy, encoding="unicode")


def test_comparison_leaves_out_a_dot_that_is_no_number(rows) -> None:
    held = summarise(rows("a", [float("nan")]) + rows("b", [0.5]))
    assert len(list(parsed(comparison(held, {})[0]).iter(f"{SVG}circle"))) == 2


def test_reliability_skips_empty_bins() -> None:
    bins = Bins([0.1, 0.5, 0.9], [float("nan"), 0.4, 0.8], [0, 10, 90])
    (chart,) = reliability({"fKL": bins}, {})
    dots = list(parsed(chart).iter(f"{SVG}circle"))
    assert len(dots) == 2
    assert float(dots[1].get("r", 0)) > float(dots[0].get("r", 0))


def test_colour_is_not_the_page_s_and_text_takes_the_page_s(summaries) -> None:
    for chart in [*learning_curves(CURVES), *comparison(summaries, {})]:
        assert "currentColor" in chart
        assert "background" not in chart


def test_the_png_is_drawn_without_the_global_state_of_pyplot(tmp_path) -> None:
    save_learning_curves(tmp_path / "a" / "learning_curves.png", CURVES | {"$x_": []}, {"rKL": 0})
    with Image.open(tmp_path / "a" / "learning_curves.png") as picture:
        assert picture.size == (1350, 900)
        assert np.asarray(picture.convert("L")).std() > 1


@pytest.mark.parametrize(
    ("low", "high"), [(0, 1), (-3.2, 7), (0.81, 0.83), (0, 12345), (1e-9, 3e-9)]
)
def test_ticks_are_round_few_and_inside(low, high) -> None:
    held = ticks(low, high)
    assert 2 <= len(held) <= 6
    assert all(low - 1e-9 <= t <= high + 1e-9 for t in held)
    steps = np.diff(held)
    np.testing.assert_allclose(steps, steps[0], rtol=1e-6, atol=0)
    mantissa = steps[0] / 10 ** math.floor(math.log10(steps[0] * (1 + 1e-9)))
    assert round(mantissa, 6) in (1, 2, 5)


def test_a_scale_holds_its_values_whatever_they_are() -> None:
    for values in ([1.0, 2.0], [3.0], [0.0], [], [float("nan"), 5.0]):
        s = scale(values, 0, 100)
        assert all(0 < s(v) < 100 for v in values if math.isfinite(v))
    assert scale([0.0, 10.0], 0, 100, margin=0)(10.0) == 100


def test_labels_are_moved_apart_and_stay_inside() -> None:
    assert apart([10, 12, 50], 15, 0, 100) == [10, 25, 50]
    assert apart([95, 96, 97], 15, 0, 100) == [70, 85, 100]


def test_small_things() -> None:
    assert [number(v) for v in (1000, 0.25, -0.5, 10, 3e-5)] == [
        "1,000",
        ".25",
        "-.5",
        "10",
        "3e-05",
    ]
    assert brief("a" * 20) == "a" * 12 + "…"
    assert len(set(colours(["a", "b", "c"]).values())) == 3


def test_elements_escape_all_but_markup() -> None:
    assert element("p", "<b>", Html("<i></i>"), class_='a"b') == (
        '<p class="a&quot;b">&lt;b&gt;<i></i></p>'
    )
    assert element("meta", name="x", content=None) == '<meta name="x">'
