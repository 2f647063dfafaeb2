"""JSON fields of files: values are checked by type."""

from __future__ import annotations

import json
from typing import Any

import pytest

from framework.assets.json_fields import Fields, color_of, parsed
from framework.record import strict_json


def fields_of(value: Any) -> Fields:
    return Fields({"a": value}, "here")


@pytest.mark.parametrize(
    ("value", "expected"), [(3, 3), ("3", 3), (" -3 ", -3), (3.0, 3), (None, 7)]
)
def test_whole_numbers(value: Any, expected: int) -> None:
    assert fields_of(value).whole("a", 7, -9, 9) == expected


@pytest.mark.parametrize(
    "value", [3.5, "3.5", "x", "", True, [], {}, 10, "10", -10, 1e300, "9" * 5000]
)
def test_other_values_are_no_whole_numbers(value: Any) -> None:
    with pytest.raises(ValueError, match=r"here: a is .*, expected a whole number"):
        fields_of(value).whole("a", 7, -9, 9)


def test_fields_without_a_default_are_required() -> None:
    with pytest.raises(ValueError, match="here: a is None, expected a whole number"):
        fields_of(None).whole("a")
    with pytest.raises(ValueError, match="here: a is None, expected a number"):
        fields_of(None).number("a")
    with pytest.raises(ValueError, match="here: b is None, expected a string"):
        fields_of(3).text("b", None)


@pytest.mark.parametrize(
    ("value", "expected"), [(3, 3.0), ("3.5", 3.5), ("1e3", 1000.0), (None, 7.0)]
)
def test_numbers(value: Any, expected: float) -> None:
    assert fields_of(value).number("a", 7.0) == expected


@pytest.mark.parametrize("value", ["nan", "inf", float("inf"), 1e16, 10**400, "x", True, []])
def test_other_values_are_no_numbers(value: Any) -> None:
    with pytest.raises(ValueError, match=r"here: a is .*, expected a number"):
        fields_of(value).number("a", 7.0)


def test_flags() -> None:
    for value, expected in (
        (True, True),
        (False, False),
        (1, True),
        (0, False),
        ("1", True),
        ("false", False),
    ):
        assert fields_of(value).flag("a", not expected) is expected
    assert fields_of(None).flag("a", True) is True
    for wrong in ("yes", 2, 1.0, [], {}):
        with pytest.raises(ValueError, match="expected true or false"):
            fields_of(wrong).flag("a")


def test_texts_and_choices() -> None:
    assert fields_of("x").text("a") == "x"
    assert fields_of(None).text("a") == ""
    assert fields_of("").choice("a", ("x", "y"), "y") == "y"
    with pytest.raises(ValueError, match="here: a is 'z', expected one of x, y"):
        fields_of("z").choice("a", ("x", "y"), "y")
    with pytest.raises(ValueError, match="expected a string"):
        fields_of(3).text("a")


def test_lists_and_objects() -> None:
    assert [item.where for item in fields_of([{}, {}]).items("a")] == ["here.a[0]", "here.a[1]"]
    assert fields_of(None).values("a") == []
    inner = fields_of({"b": 3}).part("a")
    assert inner is not None
    assert (inner.whole("b"), inner.where) == (3, "here.a")
    assert fields_of(None).part("a") is None
    for wrong in (3, "x", {}):
        with pytest.raises(ValueError, match="expected a list"):
            fields_of(wrong).values("a")
    with pytest.raises(ValueError, match=r"here.a\[1\]: expected an object, got 3"):
        list(fields_of([{}, 3]).items("a"))


def test_colors() -> None:
    assert fields_of("#ff0000").color("a") == (1, 0, 0, 1)
    assert color_of("00ff0000") == (1, 0, 0, 0)
    assert fields_of(None).color("a") is fields_of("").color("a") is None
    for wrong in ("#f00", "red", "#gg0000", "+10000", "#1_2345"):
        with pytest.raises(ValueError, match="expected a color, as #rrggbb or #aarrggbb"):
            fields_of(wrong).color("a")


def test_json_of_a_file() -> None:
    assert parsed(b'\xef\xbb\xbf{"a": 1}', 9) == {"a": 1}
    for data, message in (
        (b"[1]", "not an object"),
        (b'{"a": ', r"its JSON is broken: .*, line 1, column 7"),
        (b'{"a": Infinity}', "Infinity for a number"),
        (b'{"a": -1e999}', "-1e999 for a number"),
        (b"\xff\xfe", "neither XML nor JSON in UTF-8"),
        (b'{"a":' * 400_000, "nested too deeply"),  # Python 3.14 reads 50,000 levels
    ):
        with pytest.raises(ValueError, match=message):
            parsed(data, 1_000_000)
    for data in (b'{"a": [1,2,3]}', b'{"a": [[[]]]}', b'{"a": {"b": {"c": {}}}}'):
        assert parsed(data, 4)
        with pytest.raises(ValueError, match="more than 3 values"):
            parsed(data, 3)


def test_strict_json_accepts_finite_numbers_but_no_infinite_numbers() -> None:
    finite = [
        "1e308",
        "-1.7e+308",
        "1e-999",
        f"0.{'1' * 400}",
        f"1{'0' * 308}",
        "1e0005",
        '"1e999"',
    ]
    for text in finite:
        assert strict_json.parse(text) == json.loads(text)
    for text in ("1e309", "-1.8e308", "1E+0000999", f"{'9' * 210}.5e99", f"{'9' * 310}.0"):
        with pytest.raises(ValueError, match="is no number") as caught:
            strict_json.parse(f"[0, {text}]")
        assert len(str(caught.value)) < 60
