"""Values come back equal from JSON and from Python source; nothing else is ever built."""

import dataclasses
import functools
import json
import subprocess
import sys

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pseudocore.errors import UserError
from pseudocore.kernels import SGHMC
from pseudocore.store.source import imports, spelt, to_python
from pseudocore.store.values import from_json, to_json


class Rate(eqx.Module):
    s: float = 0.01


class Empty(eqx.Module):
    pass


class Draws(eqx.Module):
    draws: int = 30
    name: str = eqx.field(static=True, default="x")


@dataclasses.dataclass(frozen=True)
class Recipe:
    rate: Rate | None
    parts: tuple = ()
    table: dict = dataclasses.field(default_factory=dict)
    sizes: tuple[int, ...] = (1, 2)
    pair: tuple[float, str] = (1.0, "a")
    flag: bool = False
    doubled: float = dataclasses.field(init=False, default=2.0)


class Positive(eqx.Module):
    value: float

    def __check_init__(self):
        if self.value <= 0:
            raise ValueError("it must be positive")
        if self.value > 1:
            raise UserError("Give at most 1.")


class Holder(eqx.Module):
    thing: object = None


class Renamed(eqx.Module):
    width: int

    def __init__(self, size: int):
        self.width = size


KNOWN = {
    kind.__name__: kind
    for kind in (Rate, Empty, Draws, Recipe, Positive, Holder, Renamed, eqx.Module)
}
VALUES = [
    Empty(),
    Draws(),
    Draws(7, name="δ 'quoted' \"twice\"\n"),
    Recipe(Rate(1), (Draws(), (Rate(-0.0), ()), ("one",)), {"a b": Rate(), "c": {"d": None}}),
    Recipe(None, sizes=(), flag=True),
    (1, True, 1.0, None, "text", 10**30, 5e-324),
    {},
    (),
    "type",
]
plain = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.floats(allow_nan=False).filter(lambda x: abs(x) != float("inf"))
)
nested = st.recursive(
    plain,
    lambda inner: (
        st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text().filter(lambda name: name != "type"), inner, max_size=3)
        | st.builds(Holder, inner)
    ),
    max_leaves=12,
)


def same(a, b):
    """Equal, and of the same types all the way down: 1, 1.0 and True differ."""
    return a == b and repr(dataclasses.asdict(Holder(a))) == repr(dataclasses.asdict(Holder(b)))


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_json_round_trip(value):
    back = from_json(json.loads(json.dumps(to_json(value), allow_nan=False)), KNOWN)
    assert type(back) is type(value)
    assert same(back, value)


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_source_builds_the_value(value):
    assert same(eval(to_python(value), dict(KNOWN)), value)


@given(nested)
def test_both_round_trips_hold_for_any_value(value):
    assert same(from_json(json.loads(json.dumps(to_json(value))), KNOWN), value)
    assert same(eval(to_python(value), dict(KNOWN)), value)


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_json_is_spelt_as_the_source_of_its_value(value):
    line = " ".join(to_python(value).split()).replace("( ", "(").replace(", )", ")")
    assert spelt(to_json(value)) == line.replace("{ ", "{").replace(", }", "}")


def test_a_function_in_json_is_spelt_as_its_name():
    assert spelt(to_json(Holder(optax.sgd))) == f"Holder(thing={optax.sgd.__module__}.sgd)"


def test_json_says_every_field():
    assert to_json(Draws()) == {"type": "Draws", "draws": 30, "name": "x"}
    assert to_json((Rate(), 1)) == [{"type": "Rate", "s": 0.01}, 1]
    assert "doubled" not in to_json(Recipe(None))


def test_source_of_a_short_value_is_one_line():
    assert to_python(Draws()) == "Draws(draws=30, name='x')"
    assert to_python((Rate(),)) == "(Rate(s=0.01),)"
    assert to_python({"a": 1}) == "{'a': 1}"


def test_source_of_a_long_value_is_wrapped():
    assert to_python(Recipe(Rate(), tuple(Draws(i) for i in range(4)))) == (
        "Recipe(\n"
        "    rate=Rate(s=0.01),\n"
        "    parts=(\n"
        "        Draws(draws=0, name='x'),\n"
        "        Draws(draws=1, name='x'),\n"
        "        Draws(draws=2, name='x'),\n"
        "        Draws(draws=3, name='x'),\n"
        "    ),\n"
        "    table={},\n"
        "    sizes=(1, 2),\n"
        "    pair=(1.0, 'a'),\n"
        "    flag=False,\n"
        ")"
    )


@pytest.mark.parametrize("n", range(60, 90))
def test_source_fits_the_line(n):
    lines = to_python(Holder((("x" * (n - 20), 1), 2))).splitlines()
    assert all(len(line) <= 88 for line in lines)


@pytest.mark.parametrize(
    "thing",
    [
        jnp.ones(3),
        np.ones(3),
        np.float64(0.1),
        lambda x: x,
        functools.partial(sorted),
        [1, 2],
        {1, 2},
        b"bytes",
        1j,
    ],
    ids=lambda thing: type(thing).__name__,
)
def test_fields_that_are_not_plain_are_refused_by_name(thing):
    for convert in (to_json, to_python):
        with pytest.raises(UserError, match=r"Holder\.thing\[1\]\.a is of type .* plain"):
            convert(Holder((0, {"a": thing})))


def test_functions_are_recorded_by_name_and_not_read_back():
    value = Holder((optax.sgd, Rate))
    names = f"{optax.sgd.__module__}.sgd", f"{__name__}.Rate"
    raw = {"type": "Holder", "thing": [{"type": "function", "name": name} for name in names]}
    assert to_json(value) == raw
    with pytest.raises(UserError, match=r"sgd, a function of your own.*build the recipe in Python"):
        from_json(raw, KNOWN)


def test_functions_and_own_classes_are_imported_where_the_source_needs_them():
    value = Holder((optax.sgd, (Rate(), {"a": SGHMC()})))
    lines = imports(value).splitlines()
    assert lines == [
        f"from {optax.sgd.__module__} import sgd",
        f"from {__name__} import Holder",
        f"from {__name__} import Rate",
    ]
    scope = {"optax": optax, "SGHMC": SGHMC, "Holder": Holder, "Rate": Rate, "sgd": optax.sgd}
    assert eval(to_python(value), scope) == value


def test_a_function_of_a_script_is_at_home_in_its_file(tmp_path):
    script = tmp_path / "mine.py"
    script.write_text(
        "from pseudocore.store.source import imports, to_python\n"
        "def forward(params, x): ...\n"
        "print(imports(forward) + to_python(forward))\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60)
    assert done.stdout == "from mine import forward\nforward\n", done.stderr


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_json_cannot_say_are_refused(number):
    with pytest.raises(UserError, match=r"Rate\.s is -?(nan|inf); .*None"):
        to_json(Rate(number))
    with pytest.raises(UserError, match=r"Rate\.s is"):
        from_json({"type": "Rate", "s": number}, KNOWN)


@pytest.mark.parametrize("table", [{"type": 1}, {1: 2}, {None: 1}])
def test_dicts_that_would_read_back_differently_are_refused(table):
    with pytest.raises(UserError, match=r"Holder\.thing may only be keyed"):
        to_json(Holder(table))


@pytest.mark.parametrize("name", ["Drawss", "os.system", "eval", "", None, 3, ["Rate"]])
def test_unknown_type_is_refused(name):
    with pytest.raises(UserError, match="There is no type"):
        from_json({"type": "Recipe", **full_recipe(), "rate": {"type": name}}, KNOWN)


def test_only_known_classes_are_built():
    with pytest.raises(UserError, match=r"no type 'Rate'.*Known: Draws"):
        from_json(to_json(Rate()), {"Draws": Draws})


def full_recipe():
    return {name: item for name, item in to_json(Recipe(Rate())).items() if name != "type"}


def test_unknown_and_missing_fields_are_named():
    raw = to_json(Recipe(Rate(), (Draws(),)))
    raw["parts"][0] = {"type": "Draws", "draw": 3, "name": "x"}
    with pytest.raises(
        UserError,
        match=r"Recipe\.parts\[0\] does not fit Draws: unknown fields: draw; missing fields: draws",
    ):
        from_json(raw, KNOWN)
    with pytest.raises(UserError, match="unknown fields: doubled; missing fields: none"):
        from_json({"type": "Recipe", **full_recipe(), "doubled": 3.0}, KNOWN)

    with pytest.raises(UserError, match="unknown fields: none; missing fields: s"):
        from_json({"type": "Rate"}, KNOWN)


@pytest.mark.parametrize(
    ("field", "raw"),
    [
        ("rate", {"type": "Draws", "draws": 1, "name": "x"}),
        ("rate", 0.01),
        ("sizes", [1, 2.5]),
        ("sizes", 1),
        ("pair", [1.0]),
        ("pair", ["a", "b"]),
        ("flag", 1),
        ("flag", "False"),
    ],
)
def test_fields_of_another_type_are_refused(field, raw):
    with pytest.raises(UserError, match=rf"Recipe\.{field} of Recipe is"):
        from_json({"type": "Recipe", **full_recipe(), field: raw}, KNOWN)


@pytest.mark.parametrize("draws", ["30", 30.0, True, None, [30]])
def test_number_of_draws_must_be_a_whole_number(draws):
    with pytest.raises(UserError, match=r"Draws\.draws of Draws is .*, not int"):
        from_json({"type": "Draws", "draws": draws, "name": "x"}, KNOWN)


def test_what_a_class_itself_refuses_is_reported():
    with pytest.raises(UserError, match=r"Positive refuses .*-1.*it must be positive"):
        from_json({"type": "Positive", "value": -1}, KNOWN)
    with pytest.raises(UserError, match=r"^Give at most 1\.$"):
        from_json({"type": "Positive", "value": 2}, KNOWN)
    with pytest.raises(UserError, match="Renamed refuses"):
        from_json(to_json(Renamed(3)), KNOWN)


def test_python_objects_are_no_json():
    with pytest.raises(UserError, match=r"Holder\.thing is .* no JSON value"):
        from_json({"type": "Holder", "thing": (1, 2)}, KNOWN)
