"""Custom widgets: composites in their own modules, and the methods that create them."""

from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from test_ui_widgets import click

import framework as fw
from framework.ui import widget as base
from framework.ui.flex import ALIGNMENTS, JUSTIFICATIONS

COMPOSITE = '''
import framework as fw


class Stepper(fw.widgets.Group, creator="stepper"):
    """A number between two buttons."""

    def __init__(self, text, value=0, **options):
        super().__init__(direction="row", align="center", **options)
        self.label(text, grow=1)
        self.less = self.button("-", lambda: self.step(-1))
        self.number = self.add(Number(str(value)))
        self.more = self.button("+", lambda: self.step(1))

    @property
    def value(self):
        return int(self.number.text)

    def step(self, by):
        self.number.text = str(self.value + by)


class Number(fw.widgets.TextLabel):
    def paint(self, brush):
        brush.box(0, 0, self.box.w, self.box.h, fill=brush.theme.accent)
        super().paint(brush)
'''


@pytest.fixture(autouse=True)
def _creators_of_this_test() -> Iterator[None]:
    before = dict(base._kinds)
    yield
    for name in base._kinds.keys() - before.keys():
        del base._kinds[name]
        delattr(base.Creators, name)


@pytest.fixture
def steppers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    (tmp_path / "steppers.py").write_text(COMPOSITE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "steppers", raising=False)
    return importlib.import_module("steppers")


class Menu(fw.Game):
    def setup(self) -> None:
        self.menu = self.ui.column(width=300)


def test_groups_create_a_composite_from_its_own_module(
    steppers: ModuleType, make: Callable[..., Any]
) -> None:
    game = make(Menu)
    stepper = game.menu.stepper("Lives", 3, padding=4)
    assert type(stepper) is steppers.Stepper
    assert stepper.parent is game.menu
    game.run_ticks()
    snapshot = game.snapshot()
    for button in (stepper.more, stepper.more, stepper.less):
        click(game, button)
        game.run_ticks(2)
    assert stepper.value == 4
    game.restore(snapshot)
    assert stepper.value == 3
    game.advance(1 / 60)
    assert game.pixels()[..., :3].std() > 0


def test_a_composite_can_be_added_without_its_method(
    steppers: ModuleType, make: Callable[..., Any]
) -> None:
    game = make(Menu)
    assert game.menu.add(steppers.Stepper("Lives")).value == 0


def test_the_method_has_the_docstring_and_the_arguments_of_the_class(steppers: ModuleType) -> None:
    method = fw.widgets.Group.stepper
    assert method.__doc__ == "A number between two buttons."
    assert [*inspect.signature(method).parameters] == ["self", "text", "value", "options"]
    assert "stepper" in dir(fw.widgets.Group)


def test_a_class_that_is_defined_again_replaces_the_old_class(
    steppers: ModuleType, make: Callable[..., Any]
) -> None:
    game = make(Menu)
    importlib.reload(steppers)
    assert type(game.menu.stepper("Lives")) is steppers.Stepper


@pytest.mark.parametrize("name", ["slider", "column", "add", "box", "anchor", "_mine", "a b", ""])
def test_a_name_that_groups_already_have_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="creator: expected a name that groups do not have"):

        class Mine(fw.Widget, creator=name):
            pass


def test_a_used_name_is_refused_also_before_groups_are_loaded() -> None:
    code = "import framework as fw\nclass Mine(fw.Widget, creator='column'): pass\nfw.widgets\n"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "got 'column' for Mine" in done.stderr


def test_type_checkers_know_the_methods_of_the_frameworks_widgets() -> None:
    """`Group` has a line for each method, for type checkers only."""
    group = (Path(fw.__file__).parent / "ui" / "containers.py").read_text("utf-8")
    own = {
        name: kind.__name__
        for name, kind in base._kinds.items()
        if kind.__module__.startswith("framework.")
    }
    assert own["button"] == "Button"
    assert {
        name for name, kind in own.items() if f"  {name} = _Creator({kind})\n" not in group
    } == set()


@pytest.mark.parametrize("name", fw.widgets.__all__)
def test_a_class_of_widgets_has_one_public_name_and_can_be_subclassed(name: str) -> None:
    kind = getattr(fw.widgets, name)
    assert name not in fw.__all__
    assert issubclass(type("Own", (kind,), {}), fw.Widget)
    assert inspect.getdoc(kind)


@pytest.mark.parametrize(("option", "values"), [("align", ALIGNMENTS), ("justify", JUSTIFICATIONS)])
def test_the_page_lists_the_values_that_align_and_justify_accept(
    option: str, values: tuple[str, ...]
) -> None:
    page = (Path(__file__).parent.parent / "docs" / "widgets.md").read_text(encoding="utf-8")
    row = next(line for line in page.splitlines() if line.startswith(f"| `{option}`"))
    assert sorted(re.findall(r'`"(\w+)"`', row)) == sorted(values)
